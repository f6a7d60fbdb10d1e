package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.GlobalEpoch.Attempt;
import io.atoll.epoch.GlobalEpoch.Outcome;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a pin outlasts its operation, and when it ends. Rank 0 works, and rank 1 advances the epoch. */
class KeptPinsTest {

    private static final int RANKS = 3;
    private static final long SEGMENT_BYTES = 384 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (16 << 10);
    private static final int GONE = 2;

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES));
    private final LateVerbs lateVerbs = new LateVerbs();
    private boolean isShutOut; // of the rank that is gone, by all
    private int questions; // whether a segment has shut that rank out
    private final RankEpochs epochs = epochs(simulation.rank(0), Optional.of(lateVerbs));
    private final RankEpochs other = epochs(simulation.rank(1), Optional.empty());
    private final LateVerbs.Connection broken = connection(1);

    private RankEpochs epochs(SimRank rank, Optional<LateVerbs> late) {
        var liveness = new Liveness() {
            @Override
            public boolean isFenced(int any, int incarnation, int segment) {
                questions += any == GONE ? 1 : 0;
                return any == GONE && isShutOut;
            }

            @Override
            public Optional<LateVerbs> lateVerbs() {
                return late;
            }
        };
        var self = new Participant(rank.endpoint(), rank.incarnation(), liveness, Duration.ofSeconds(1),
                () -> new int[RANKS]);
        long[] blocks = new long[RANKS];
        Arrays.fill(blocks, BLOCK);
        return new RankEpochs(self, blocks, EpochSettings.DEFAULT.tokens(4));
    }

    private LateVerbs.Connection connection(int rank) {
        var connection = new LateVerbs.Connection();
        connection.countBy(lateVerbs, rank, 1);
        return connection;
    }

    private Attempt advance(int attempts) {
        Attempt last = other.epoch().tryAdvance();
        for (int attempt = 1; attempt < attempts; attempt++) {
            last = other.epoch().tryAdvance();
        }
        return last;
    }

    private void isHeldBackAt(long epoch) {
        assertThat(advance(4)).satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Outcome.BLOCKED);
            assertThat(attempt.epoch()).isEqualTo(epoch);
        });
    }

    private void isFree() {
        assertThat(advance(4).outcome()).isEqualTo(Outcome.ADVANCED);
    }

    @Test
    void aPinLastsAsLongAsAVerbOfItsOperationMayArrive() {
        WorldToken token = epochs.register();
        token.pin();
        broken.begin();
        token.unpin();
        isHeldBackAt(1);
        epochs.keptPins().settle();
        isHeldBackAt(1);
        assertThat(advance(1).blocker()).hasValueSatisfying(blocker -> {
            assertThat(blocker.rank()).isZero();
            assertThat(blocker.thread()).isEqualTo("(a broken connection to rank 1)");
        });
        broken.end();
        isHeldBackAt(1);
        assertThat(epochs.keptPins().areAny()).as("a tick settles it").isTrue();
        epochs.keptPins().settle();
        assertThat(epochs.keptPins().areAny()).isFalse();
        isFree();
    }

    @Test
    void anUnpinKeepsNothingOnceNothingIsLate() {
        WorldToken token = epochs.register();
        token.pin();
        broken.begin();
        broken.end();
        token.unpin();
        isFree();
        assertThat(epochs.keptPins().areAny()).isFalse();
    }

    @Test
    void aLaterPinOfTheTokenDoesNotTakeThePlaceOfOneThatIsKept() {
        WorldToken token = epochs.register();
        token.pin();
        broken.begin();
        token.unpin();
        isHeldBackAt(1);
        for (int operation = 0; operation < 3; operation++) {
            token.pin();
            isHeldBackAt(1);
            token.renew();
            isHeldBackAt(1);
            token.unpin();
            isHeldBackAt(1);
        }
        broken.end();
        token.pin();
        token.unpin();
        isFree();
    }

    @Test
    void norDoesAnotherTokenThatGetsItsPlace() {
        WorldToken token = epochs.register();
        token.pin();
        broken.begin();
        token.unpin();
        token.unregister();
        isHeldBackAt(1);
        try (Token next = epochs.register(); Pin _ = next.pin()) {
            isHeldBackAt(1);
        }
        isHeldBackAt(1);
        broken.end();
        epochs.keptPins().settle();
        isFree();
    }

    @Test
    void theLastConnectionThatIsReplacedCounts() {
        WorldToken token = epochs.register();
        var second = connection(GONE);
        token.pin();
        broken.begin();
        second.begin();
        token.unpin();
        broken.end();
        epochs.keptPins().settle();
        isHeldBackAt(1);
        second.end();
        epochs.keptPins().settle();
        isFree();
    }

    @Test
    void whatWouldArriveAtARankThatIsShutOutKeepsNoPin() {
        WorldToken token = epochs.register();
        var lost = connection(GONE);
        simulation.rank(0).unmap(GONE);
        token.pin();
        lost.begin();
        token.unpin();
        epochs.keptPins().settle();
        isHeldBackAt(1);
        isShutOut = true;
        epochs.keptPins().settle();
        assertThat(lateVerbs.areAny()).isFalse();
        isFree();
    }

    /** Each look at a rank that is away takes as long as an attempt to connect. */
    @Test
    void aTickAsksARankOnceHoweverManyOfItsConnectionsAreBroken() {
        simulation.rank(0).unmap(GONE);
        connection(GONE).begin();
        connection(GONE).begin();
        epochs.keptPins().settle();
        assertThat(questions).isEqualTo(1);
        isShutOut = true;
        epochs.keptPins().settle();
        assertThat(questions).isEqualTo(1 + RANKS);
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void theAgeOfAPinThatIsKeptGoesOnWithTheNextOne() {
        var ages = new TokenAges();
        long first = Announcement.pinned(3, 1);
        long second = Announcement.pinned(3, 2);
        assertThat(ages.age(0, 0, first, 3, 0)).isZero();
        assertThat(ages.age(0, 0, Announcement.kept(first), 3, 10)).hasNanos(10);
        assertThat(ages.age(0, 0, second, 3, 20)).hasNanos(20);
        assertThat(ages.age(0, 0, Announcement.kept(second), 3, 30)).hasNanos(30);
        assertThat(ages.age(0, 0, Announcement.pinned(4, 3), 4, 40)).isZero();
        assertThat(ages.age(0, 0, Announcement.pinned(4, 4), 4, 50)).as("of another pin").isZero();
    }

    /** Others may look at it only while operations are under way, one after the other. */
    @Test
    void soDoesThatOfAPinThatIsSeenOnlyBetweenTheTimesWhenItIsKept() {
        var ages = new TokenAges();
        assertThat(ages.age(0, 0, Announcement.pinned(3, 1), 3, 0)).isZero();
        assertThat(ages.age(0, 0, Announcement.pinned(3, 2), 4, 10)).as("of another pin").isZero();
        assertThat(ages.age(0, 0, Announcement.pinned(3, 4), 4, 20)).hasNanos(10);
        assertThat(ages.age(0, 0, Announcement.pinned(3, 7), 4, 30)).hasNanos(20);
        assertThat(ages.age(0, 0, Announcement.pinned(4, 8), 4, 40)).isZero();
    }

    @Test
    void whatAnotherObjectOfTheProcessHasKeptIsEndedToo() {
        WorldToken token = epochs.register();
        token.pin();
        broken.begin();
        token.unpin();
        broken.end();
        epochs(simulation.rank(0), Optional.of(lateVerbs)).keptPins().settle();
        isFree();
    }

    @Test
    void aPinOfAnOperationUnderWayIsNotEndedWithThoseThatWereKept() {
        WorldToken kept = epochs.register();
        WorldToken used = epochs.register();
        kept.pin();
        used.pin();
        broken.begin();
        kept.unpin();
        broken.end();
        epochs.keptPins().settle();
        isHeldBackAt(1);
        used.unpin();
        isFree();
    }
}
