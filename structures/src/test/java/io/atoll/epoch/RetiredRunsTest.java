package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.FabricTimeoutException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Retired runs are not forgotten, and the rank is not idle while they are being freed. */
class RetiredRunsTest extends TwoRankEpochs {

    private static final int TOKENS = 4;
    private static final int OWNER = 1;
    private static final long EPOCH = 7;
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

    static final List<Throwable> FAILURES = List.of(
            new FabricTimeoutException("a sweep is cut short", "", Duration.ZERO, "read", OWNER, 0),
            new StackOverflowError("a sweep is cut short"));

    private final List<Runnable> duringTheSweep = new ArrayList<>();

    private Participant self;
    private GlobalPointer place;
    private RetiredRuns runs;

    @BeforeEach
    void begin() {
        self = worlds.getFirst().participant();
        place = object(0);
        runs = new RetiredRuns(heap, 2);
    }

    private long known() {
        long run = heap.reserve(OWNER, Heap.ANNOUNCED_BYTES);
        heap.commit(OWNER, run);
        self.endpoint().writeWord(place.rank(), place.offset(), run);
        return run;
    }

    private void unlink() {
        self.endpoint().writeWord(place.rank(), place.offset(), 0);
    }

    private void retire(long run, long epoch) {
        heap.retire(OWNER, run, place, run, epoch);
        runs.add(OWNER, epoch);
    }

    @ParameterizedTest
    @FieldSource("FAILURES")
    void aSweepThatFailsIsRepeated(Throwable failure) {
        retire(known(), EPOCH);
        unlink();
        assertThatThrownBy(() -> runs.free(EPOCH + 2, () -> {
            throw RetiredRunsTest.<RuntimeException>unchecked(failure);
        })).isSameAs(failure);
        assertThat(runs.isEmpty()).isFalse();
        assertThat(runs.free(EPOCH + 4, () -> EPOCH + 4)).isOne();
        assertThat(runs.isEmpty()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void whatIsRetiredAllTheTimeDoesNotKeepWhatWaits() {
        retire(known(), EPOCH);
        unlink();
        runs.add(OWNER, EPOCH + 1);
        runs.add(OWNER, EPOCH + 2);
        assertThat(runs.free(EPOCH + 2, () -> EPOCH + 2)).isOne();
    }

    @Test
    void aRunThatIsKnownStillIsLookedAtAgainInTheNextEpoch() {
        retire(known(), EPOCH);
        assertThat(runs.free(EPOCH + 2, () -> EPOCH + 2)).isZero();
        unlink();
        assertThat(runs.free(EPOCH + 2, () -> EPOCH + 2)).as("looked at in this one").isZero();
        assertThat(runs.free(EPOCH + 3, () -> EPOCH + 3)).isOne();
    }

    /** Runs the actions of {@code duringTheSweep} while it sweeps, not when it advances the epoch before. */
    private RankEpochs interrupted() {
        EpochSettings settings = EpochSettings.DEFAULT.tokens(TOKENS);
        long[] blocks = self.directory()
                .open(EpochStructure.NAME, EpochStructure.configuration(TOKENS),
                        _ -> EpochBlock.bytes(TOKENS, self.maxSize()));
        return new RankEpochs(self, blocks, settings) {
            @Override
            GlobalEpoch newEpoch(Participant participant, long[] allBlocks, int home, int capacity) {
                return new GlobalEpoch(participant, allBlocks, home, capacity) {

                    private boolean isAdvanced;

                    @Override
                    Attempt swing(long epoch) {
                        Attempt attempt = super.swing(epoch);
                        isAdvanced = true;
                        return attempt;
                    }

                    @Override
                    long read() {
                        if (isAdvanced) {
                            isAdvanced = false;
                            duringTheSweep.forEach(Runnable::run);
                        }
                        return super.read();
                    }
                };
            }
        };
    }

    private RankEpochs withARunThatCanBeFreed() {
        RankEpochs rankEpochs = interrupted();
        long run = known();
        long next = rankEpochs.epoch().read() + 1;
        heap.retire(OWNER, run, place, run, next);
        unlink();
        while (rankEpochs.epoch().read() < next + 1) {
            rankEpochs.tryReclaim();
        }
        rankEpochs.retiredRuns().add(OWNER, next);
        return rankEpochs;
    }

    @Test
    void nothingIsIdleWhileRunsAreBeingFreed() {
        RankEpochs rankEpochs = withARunThatCanBeFreed();
        List<Boolean> idle = new ArrayList<>();
        duringTheSweep.add(() -> idle.add(rankEpochs.isIdle()));
        assertThat(rankEpochs.tryReclaim()).isOne();
        assertThat(idle).containsExactly(false);
        assertThat(rankEpochs.isIdle()).isTrue();
    }

    @Test
    void aSegmentIsNotFullWhileAnotherThreadIsAboutToFreeRuns() throws Exception {
        RankEpochs rankEpochs = withARunThatCanBeFreed();
        var relief = new FullSegments(rankEpochs, () -> {
            throw new AssertionError("nobody has to be named");
        }, LONG_ENOUGH);
        var relieving = new FutureTask<>(relief::relieveOfOwn);
        long refused = refused(rankEpochs);
        duringTheSweep.add(() -> {
            Thread.ofPlatform().start(relieving);
            await().atMost(LONG_ENOUGH).until(() -> relieving.isDone() || refused(rankEpochs) > refused);
        });
        assertThat(rankEpochs.tryReclaim()).isOne();
        assertThat(relieving.get()).isTrue();
    }

    /** Returns how often a thread has found another one that reclaims. */
    private static long refused(RankEpochs rankEpochs) {
        return rankEpochs.memory().getAcquire(rankEpochs.block() + EpochBlock.FAILED_ELECTIONS);
    }
}
