package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.Patch;
import io.atoll.World;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.GlobalPointer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("simulation")
class LinkedQueueTest {

    private static World open(Path folder) {
        return World.named("queue").fabric(Fabrics.sharedMemory(folder, false)).segment(8 << 20).open();
    }

    @Test
    void wordsAreInLinesOfTheirOwn() {
        assertThat(MichaelScottQueue.HEAD).isZero();
        assertThat(MichaelScottQueue.TAIL).isEqualTo(64);
        assertThat(MichaelScottQueue.BYTES).isEqualTo(128);
        assertThat(Nodes.LINK).isZero();
        assertThat(Nodes.VALUE).isEqualTo(8);
    }

    @Test
    void whatIsPushedFirstIsPoppedFirst(@TempDir Path folder) {
        try (World world = open(folder)) {
            LinkedQueue<Long> queue = world.linkedQueue("longs", Long.class).open();
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.pop()).isNull();
            queue.push(1L);
            queue.push(2L);
            assertThat(queue.peek()).isEqualTo(1);
            assertThat(world.linkedQueue("longs", Long.class).open().pop()).isEqualTo(1);
            assertThat(queue.pop()).isEqualTo(2);
            assertThat(queue.pop()).isNull();
        }
    }

    @Test
    void aTokenMayBeKeptAndMustBeOfTheSameManager(@TempDir Path folder) {
        try (World world = open(folder);
                EpochManager other = new EpochManager(world::participant, EpochSettings.DEFAULT);
                Token token = world.epochs().register();
                Token foreign = other.register()) {
            LinkedQueue<Long> queue = world.linkedQueue("longs", Long.class).open();
            assertThatIllegalArgumentException().isThrownBy(() -> queue.push(foreign, 7L));
            assertThatIllegalArgumentException().isThrownBy(() -> queue.pop(foreign));
            queue.push(token, 7L);
            assertThat(queue.pop(token)).isEqualTo(7);
        }
    }

    private static MichaelScottQueue<Long> queue(LinkedRanks ranks) {
        return new MichaelScottQueue<>(ranks.self().endpoint(), LinkedRanks.HOST, LinkedRanks.STRUCTURE, ranks.nodes(),
                ranks.epochs());
    }

    @Test
    void pushingAndPoppingCostWhatTheJavadocSays() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            var ranks = new LinkedRanks(guarantees);
            MichaelScottQueue<Long> queue = queue(ranks);
            Token token = ranks.epochs().token();
            boolean isNear = guarantees.equals(SimOptions.SHARED_MEMORY);
            queue.push(token, 0L);
            assertThat(queue.pop(token)).isZero();
            assertThat(ranks.costs(() -> queue.pop(token)))
                    .isEqualTo(!isNear && guarantees.readsInOrder() ? "RRR in 1" : "RRR in 3");
            queue.push(token, 1L);
            assertThat(ranks.costs(() -> queue.push(token, 2L))).isEqualTo(isNear ? "RRWWAA in 4" : "WWAAA in 3");
            assertThat(ranks.costs(() -> queue.peek(token))).isEqualTo("RRR in 3");
            assertThat(ranks.costs(() -> assertThat(queue.pop(token)).isEqualTo(1))).startsWith("RRRR")
                    .contains("A in");
        }
    }

    @Test
    void aPopFromAQueueThatNobodyHasPushedToFindsNothingAndLeavesNothing() {
        var ranks = new LinkedRanks(SimOptions.TCP);
        MichaelScottQueue<Long> queue = queue(ranks);
        Token token = ranks.epochs().token();
        assertThat(ranks.costs(() -> assertThat(queue.pop(token)).isNull())).isEqualTo("RR in 2");
        assertThat(ranks.costs(() -> assertThat(queue.peek(token)).isNull())).isEqualTo("R in 1");
        assertThat(ranks.objects()).isZero();
        queue.push(token, 1L);
        assertThat(queue.pop(token)).isEqualTo(1);
    }

    /** A process pushes whose last known tail is free by now, and belongs to something else. */
    static final class FormerTail implements Runnable {

        @Override
        public void run() {
            var ranks = new LinkedRanks(SimOptions.TCP);
            MichaelScottQueue<Long> queue = queue(ranks);
            MichaelScottQueue<Long> other = queue(ranks);
            Token token = ranks.epochs().token();
            queue.push(token, 1L);
            var endpoint = ranks.self().endpoint();
            GlobalPointer former = Objects.requireNonNull(AtomicObject.abaProtected(endpoint, LinkedRanks.HOST,
                    LinkedRanks.STRUCTURE + MichaelScottQueue.TAIL, ObjectType.POINTER).read());
            other.push(token, 2L);
            assertThat(other.pop(token)).isEqualTo(1);
            assertThat(other.pop(token)).isEqualTo(2);
            ranks.epochs().clear();
            endpoint.writeWord(LinkedRanks.HOST, former.offset() + Nodes.LINK, 0);
            queue.push(token, 3L);
            assertThat(endpoint.readWord(LinkedRanks.HOST, former.offset() + Nodes.LINK)).isZero();
            assertThat(other.pop(token)).isEqualTo(3);
        }
    }

    @Test
    void aPushThatGuessesANodeThatIsFreeByNowLeavesItAsItIs() {
        new FormerTail().run();
    }

    @Test
    void aLinkThatIsChangedThoughItsNodeMayBeFreeIsFound() {
        Patch mistake = new Patch(MichaelScottQueue.class).replace("            batch.guard(isLast);\n", "");
        assertThatThrownBy(() -> mistake.run(FormerTail.class)).isInstanceOf(AssertionError.class);
    }

    @Test
    void overTcpAPushIsOneRoundTripAndAPopTwo() {
        var ranks = new LinkedRanks(SimOptions.TCP);
        MichaelScottQueue<Long> queue = queue(ranks);
        MichaelScottQueue<Long> other = queue(ranks);
        Token token = ranks.epochs().token();
        LongStream.range(0, 8).forEach(value -> queue.push(token, value));
        queue.pop(token);
        queue.pop(token); // allocates where retired nodes are listed
        assertThat(ranks.costs(() -> queue.push(token, 8L))).isEqualTo("WWAAA in 1");
        assertThat(ranks.costs(() -> assertThat(queue.pop(token)).isEqualTo(2))).isEqualTo("RRRRA in 2");
        assertThat(ranks.costs(() -> other.push(token, 9L))).as("knows no tail").isEqualTo("RWWAAA in 2");
        assertThat(ranks.costs(() -> queue.push(token, 10L))).as("a wrong guess").isEqualTo("WWAAAA in 2");
    }

    @Test
    void nodesThatWereLeftBehindAreFreed() {
        var ranks = new LinkedRanks(SimOptions.NETWORK_CARD);
        MichaelScottQueue<Long> queue = queue(ranks);
        Token token = ranks.epochs().token();
        for (long value = 1; value <= 100; value++) {
            queue.push(token, value);
        }
        for (long value = 1; value <= 100; value++) {
            assertThat(queue.pop(token)).isEqualTo(value);
        }
        assertThat(ranks.epochs().clear()).isEqualTo(100);
        assertThat(ranks.objects()).as("the first node").isOne();
    }

    /** Leaves the tail behind, like a rank that dies after it has linked a node and before it has swung the tail. */
    private static void leaveTheTailBehind(LinkedRanks ranks) {
        var endpoint = ranks.self().endpoint();
        GlobalPointer last = Objects.requireNonNull(AtomicObject.abaProtected(endpoint, LinkedRanks.HOST,
                LinkedRanks.STRUCTURE + MichaelScottQueue.TAIL, ObjectType.POINTER).read());
        GlobalPointer node = ranks.nodes().create(7L, 0);
        AtomicObject.abaProtected(endpoint, last.rank(), last.offset() + Nodes.LINK, ObjectType.POINTER).write(node);
    }

    private static void useAndReclaim(LinkedRanks ranks, MichaelScottQueue<Long> queue) {
        Token token = ranks.epochs().token();
        queue.push(token, 6L);
        assertThat(queue.pop(token)).isEqualTo(6);
        leaveTheTailBehind(ranks);
        assertThat(queue.pop(token)).isEqualTo(7);
        ranks.epochs().clear();
        queue.push(token, 8L);
        queue.push(token, 9L);
        assertThat(queue.pop(token)).isEqualTo(8);
        assertThat(queue.pop(token)).isEqualTo(9);
    }

    @Test
    void aTailThatWasLeftBehindIsHelpedOn() {
        var ranks = new LinkedRanks(SimOptions.NETWORK_CARD);
        useAndReclaim(ranks, queue(ranks));
    }

    @Test
    void aHeadThatOvertakesItIsFound() {
        var ranks = new LinkedRanks(SimOptions.NETWORK_CARD);
        queue(ranks);
        var overtaking = new MichaelScottQueue<>(ranks.self().endpoint(), LinkedRanks.HOST, LinkedRanks.STRUCTURE,
                ranks.nodes(), ranks.epochs()) {
            @Override
            boolean isBehind(Aba<GlobalPointer> first, Aba<GlobalPointer> last) {
                return false;
            }
        };
        // The pop follows a link out of a freed node, which leads out of the world.
        assertThatThrownBy(() -> useAndReclaim(ranks, overtaking)).isInstanceOf(RuntimeException.class);
    }
}
