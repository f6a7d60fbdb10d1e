package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.map.DistributedMap;
import io.atoll.world.Participant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is thrown while a token is lent, pinned or unpinned, the thread is not pinned by it, and no token is lost.
 */
@Timeout(120)
class EpochErrorsTest {

    private static final int LENT = 2;
    private static final int PUTS = 1_000;
    private static final int DESCENTS = 100;
    private static final long STACK_BYTES = 256 << 10;
    private static final EpochSettings SETTINGS = EpochSettings.DEFAULT.tokens(4 * LENT);

    private enum Step {
        CREATE, ENTER, WITHDRAW, ADVANCE
    }

    @TempDir
    Path folder;

    private World world;
    private EpochManager epochs;
    private volatile @Nullable Step failing;
    private int failures;

    @BeforeEach
    void open() {
        world = World.named("errors")
                .segment(1 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .operationTimeout(Duration.ofMillis(500))
                .open();
        epochs = new EpochManager(world::participant, SETTINGS, this::reclamation);
    }

    @AfterEach
    void close() {
        failing = null;
        epochs.close();
        world.close();
    }

    private RankEpochs reclamation(Participant self) {
        long bytes = EpochBlock.bytes(SETTINGS.tokens(), self.maxSize());
        long[] blocks = self.directory()
                .open(EpochStructure.NAME, EpochStructure.configuration(SETTINGS.tokens()), _ -> bytes);
        return new RankEpochs(self, blocks, SETTINGS) {
            @Override
            WorldToken newToken(int index) {
                failIfAt(Step.CREATE);
                return new FailingToken(this, index);
            }

            @Override
            GlobalEpoch newEpoch(Participant participant, long[] allBlocks, int home, int capacity) {
                return new GlobalEpoch(participant, allBlocks, home, capacity) {
                    @Override
                    Attempt swing(long epoch) {
                        failIfAt(Step.ADVANCE);
                        return super.swing(epoch);
                    }
                };
            }
        };
    }

    private void failIfAt(Step step) {
        if (failing == step) {
            failures++;
            throw new OutOfMemoryError("at " + step);
        }
    }

    private final class FailingToken extends WorldToken {

        FailingToken(RankEpochs rankEpochs, int index) {
            super(rankEpochs, index);
        }

        @Override
        protected void enter() {
            failIfAt(Step.ENTER);
            super.enter();
        }

        @Override
        void withdraw() {
            failIfAt(Step.WITHDRAW);
            super.withdraw();
        }
    }

    private boolean isAnnounced() {
        return epochs.snapshot().ranks().getFirst().tokens().stream().anyMatch(token -> token.pinned());
    }

    private void beginsAndEnds() {
        Token token = epochs.pin();
        assertThat(token.isPinned()).isTrue();
        assertThat(isAnnounced()).isTrue();
        token.unpin();
        assertThat(isAnnounced()).isFalse();
    }

    private void beginFails(Step step) {
        failing = step;
        assertThatThrownBy(epochs::pin).isInstanceOf(OutOfMemoryError.class).hasMessage("at " + step);
        failing = null;
    }

    private static void inAThread(Runnable action) throws Exception {
        var end = new FutureTask<Void>(action, null);
        new Thread(null, end, "small", STACK_BYTES).start();
        end.get();
    }

    @Test
    void aThreadWhosePinFailsIsNotPinnedAndItsNextPinIsAnnounced() {
        beginsAndEnds();
        for (int round = 0; round < 3 * LENT; round++) {
            beginFails(Step.ENTER);
            beginFails(Step.ENTER);
            beginsAndEnds();
        }
    }

    @Test
    void threadsWhosePinsFailLoseNoToken() throws Exception {
        for (int thread = 0; thread < 3 * LENT; thread++) {
            inAThread(() -> beginFails(Step.ENTER));
        }
        inAThread(this::beginsAndEnds);
    }

    @Test
    void aTokenThatCannotBeMadeIsMadeLater() throws Exception {
        for (int thread = 0; thread < 3 * LENT; thread++) {
            inAThread(() -> beginFails(Step.CREATE));
        }
        inAThread(this::beginsAndEnds);
    }

    @Test
    void anUnpinThatFailsLosesNoToken() throws Exception {
        for (int thread = 0; thread < 3 * LENT; thread++) {
            inAThread(() -> {
                Token token = epochs.pin();
                failing = Step.WITHDRAW;
                assertThatThrownBy(token::unpin).isInstanceOf(OutOfMemoryError.class);
                failing = null;
            });
        }
        Token token = epochs.pin();
        token.unpin();
    }

    @Test
    void aRegisteredTokenWhosePinFailsIsNotPinned() {
        try (Token own = epochs.register()) {
            failing = Step.ENTER;
            assertThatThrownBy(own::pin).isInstanceOf(OutOfMemoryError.class);
            failing = null;
            assertThat(own.isPinned()).isFalse();
            try (Pin _ = own.pin()) {
                assertThat(isAnnounced()).isTrue();
            }
            assertThat(isAnnounced()).isFalse();
        }
    }

    @Test
    void anErrorWithinAPinLeavesThatAsItWas() {
        Token outer = epochs.pin();
        failing = Step.ENTER;
        Token inner = epochs.pin();
        failing = null;
        inner.unpin();
        assertThat(outer.isPinned()).isTrue();
        assertThat(isAnnounced()).isTrue();
        outer.unpin();
    }

    @Test
    void whatAPutReclaimsByTheWayFailsNoPut() {
        DistributedMap<String, String> map = DistributedMap
                .builder("map", String.class, String.class, world::participant, epochs)
                .capacity(1)
                .open();
        failing = Step.ADVANCE;
        for (int number = 0; number < PUTS; number++) {
            String value = "value " + number;
            String key = "key " + number % (PUTS / 2);
            assertThatCode(() -> map.put(key, value)).doesNotThrowAnyException();
        }
        assertThat(failures).as("attempts to reclaim").isPositive();
        failing = null;
        assertThat(map.get("key 0")).isEqualTo("value " + PUTS / 2);
        assertThat(epochs.clear()).isGreaterThanOrEqualTo(PUTS / 2);
    }

    /** Calls itself until the stack is full. From the given depth on, it also begins and ends an operation. */
    private int descend(int depth, int first) {
        if (depth >= first) {
            epochs.pin().unpin();
        }
        try {
            return descend(depth + 1, first);
        } catch (StackOverflowError full) {
            if (first < Integer.MAX_VALUE) {
                throw full;
            }
            return depth;
        }
    }

    @Test
    void aFullStackLosesNoToken() throws Exception {
        beginsAndEnds();
        int[] deepest = new int[1];
        inAThread(() -> deepest[0] = descend(0, Integer.MAX_VALUE));
        for (int number = 0; number < DESCENTS; number++) {
            int first = deepest[0] - 100 - number % 50;
            inAThread(() -> {
                assertThatThrownBy(() -> descend(0, first)).isInstanceOf(StackOverflowError.class);
                assertThat(isAnnounced()).isFalse();
                beginsAndEnds();
            });
        }
    }
}
