package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.memory.GlobalPointer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("simulation")
class LinkedStackTest {

    private record Job(int number, double priority) {}

    private static World open(Path folder) {
        return World.named("stack").fabric(Fabrics.sharedMemory(folder, false)).segment(8 << 20).open();
    }

    @Test
    void whatIsPushedLastIsPoppedFirst(@TempDir Path folder) {
        try (World world = open(folder)) {
            LinkedStack<Job> jobs = world.stack("jobs", Job.class).open();
            assertThat(jobs.isEmpty()).isTrue();
            assertThat(jobs.pop()).isNull();
            assertThat(jobs.peek()).isNull();
            jobs.push(new Job(1, 0.5));
            jobs.push(new Job(2, 1.5));
            assertThat(jobs.peek()).isEqualTo(new Job(2, 1.5));
            assertThat(jobs.isEmpty()).isFalse();
            assertThat(jobs.pop()).isEqualTo(new Job(2, 1.5));
            assertThat(jobs.pop()).isEqualTo(new Job(1, 0.5));
            assertThat(jobs.pop()).isNull();
        }
    }

    @Test
    void aTokenMayBeKeptAndMustBeOfTheSameManager(@TempDir Path folder) {
        try (World world = open(folder);
                EpochManager other = new EpochManager(world::participant, EpochSettings.DEFAULT);
                Token token = world.epochs().register();
                Token foreign = other.register()) {
            LinkedStack<Long> stack = world.stack("longs", Long.class).open();
            stack.push(7L);
            assertThatIllegalArgumentException().isThrownBy(() -> stack.pop(foreign)).withMessageContaining("token=");
            try (Pin _ = token.pin()) {
                assertThat(stack.pop(token)).isEqualTo(7);
            }
        }
    }

    @Test
    void aNameBelongsToOneConfiguration(@TempDir Path folder) {
        try (World world = open(folder)) {
            world.stack("longs", Long.class).open();
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> world.stack("longs", Integer.class).open());
            assertThatIllegalArgumentException().isThrownBy(() -> world.stack("far", Long.class).host(1).open())
                    .withMessageEndingWith("host=1");
        }
    }

    private static TreiberStack<Long> stack(LinkedRanks ranks) {
        var first = AtomicObject.abaProtected(ranks.self().endpoint(), LinkedRanks.HOST, LinkedRanks.STRUCTURE,
                ObjectType.POINTER);
        return new TreiberStack<>(first, ranks.nodes(), ranks.epochs());
    }

    @Test
    void pushingAndPoppingCostWhatTheJavadocSays() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            var ranks = new LinkedRanks(guarantees);
            TreiberStack<Long> stack = stack(ranks);
            Token token = ranks.epochs().token();
            stack.push(1L);
            stack.push(2L);
            boolean isNear = guarantees.equals(SimOptions.SHARED_MEMORY);
            assertThat(ranks.costs(() -> stack.push(3L))).isEqualTo(isNear ? "RWWA in 2" : "WWA in 1");
            assertThat(ranks.costs(() -> stack.peek(token))).isEqualTo("RR in 2");
            stack.pop(token);
            // In addition, every second time here, the epoch is read, and a bag is allocated.
            stack.pop(token);
            stack.push(4L);
            stack.push(5L);
            assertThat(ranks.costs(() -> assertThat(stack.pop(token)).isEqualTo(5)))
                    .startsWith("RR")
                    .contains("A in");
        }
    }

    @Test
    void overANetworkAPushIsOneRoundTripAndAPopTwo() {
        for (Guarantees guarantees : List.of(SimOptions.NETWORK_CARD, SimOptions.TCP)) {
            var ranks = new LinkedRanks(guarantees);
            TreiberStack<Long> stack = stack(ranks);
            TreiberStack<Long> other = stack(ranks);
            Token token = ranks.epochs().token();
            LongStream.range(0, 8).forEach(stack::push);
            stack.pop(token);
            stack.pop(token); // allocates where retired nodes are listed
            assertThat(ranks.costs(() -> stack.push(8L))).isEqualTo("WWA in 1");
            // On the card the retired node is listed by a write, which takes another round trip.
            assertThat(ranks.costs(() -> assertThat(stack.pop(token)).isEqualTo(8)))
                    .isEqualTo(guarantees.coherentWithCpu() ? "RRA in 2" : "RRWA in 3");
            assertThat(ranks.costs(() -> other.push(9L))).as("knows no top").isEqualTo("WWWAA in 2");
            assertThat(ranks.costs(() -> stack.push(10L))).as("a wrong guess").isEqualTo("WWWAA in 2");
            other.push(11L);
            assertThat(ranks.costs(() -> assertThat(stack.pop(token)).isEqualTo(11))).startsWith("RRR");
        }
    }

    @Test
    void nodesThatWerePoppedAreFreed() {
        var ranks = new LinkedRanks(SimOptions.NETWORK_CARD);
        TreiberStack<Long> stack = stack(ranks);
        Token token = ranks.epochs().token();
        for (long value = 1; value <= 100; value++) {
            stack.push(value);
        }
        assertThat(ranks.objects()).isEqualTo(100);
        for (long value = 100; value > 0; value--) {
            assertThat(stack.pop(token)).isEqualTo(value);
        }
        assertThat(ranks.epochs().clear()).isEqualTo(100);
        assertThat(ranks.objects()).isZero();
    }

    /** The count comes round, and yet the compare-and-swap fails: no node that was seen under the pin comes back. */
    @Test
    void whileATokenIsPinnedACountThatComesRoundDoesNoHarm() {
        var ranks = new LinkedRanks(SimOptions.SHARED_MEMORY);
        TreiberStack<Long> stack = stack(ranks);
        try (Token reader = ranks.epochs().register(); Token worker = ranks.epochs().register()) {
            stack.push(1L);
            try (Pin _ = reader.pin()) {
                Aba<GlobalPointer> seen = stack.first.readAba();
                // An odd number, so that a node is on top in the end.
                stack.pop(worker);
                int changes = 1;
                while (changes < 1 << 16) {
                    changeTwiceOrOnce(stack, changes);
                    changes = changes < (1 << 16) - 1 ? changes + 2 : changes + 1;
                    worker.tryReclaim();
                    assertThat(stack.first.read()).isNotEqualTo(seen.object());
                }
                assertThat(stack.first.readAba().count()).isEqualTo(seen.count());
                assertThat(stack.first.compareAndSwapAba(seen, null)).isFalse();
            }
        }
    }

    /** Swings the word itself: 65,536 nodes would not fit, as none is freed. */
    private static void changeTwiceOrOnce(TreiberStack<Long> stack, int changes) {
        if (changes < (1 << 16) - 1) {
            stack.first.write(null);
            stack.first.write(null);
        } else {
            stack.push(2L);
        }
    }
}
