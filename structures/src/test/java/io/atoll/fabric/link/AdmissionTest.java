package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.ConnectRetry.NotMetException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.MemoryPlace;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests which ranks may use a segment, and what a request cannot make its owner believe. */
class AdmissionTest {

    private static final WorldIdentity WORLD = new WorldIdentity("admission", 3);
    private static final int OWNER = 1;
    private static final int OWN_INCARNATION = 4;

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SegmentHeader.size(WORLD.maxSize()), Layouts.CACHE_LINE));
    private final Admission admission = new Admission(WORLD, OWNER, OWN_INCARNATION, segment);

    private Refusal asks(int rank, int incarnation) {
        return admission.refusal(new ConnectRequest(WORLD, rank, OWNER, incarnation, OWN_INCARNATION, 0, 1));
    }

    @Test
    void theIncarnationThatWasMetIsLetIn() {
        SegmentHeader.remember(segment, 2, 3);
        assertThat(asks(2, 3)).isNull();
        assertThat(asks(OWNER, OWN_INCARNATION)).as("by its connection to itself").isNull();
    }

    /** A mere claim in a request shuts out no rank. */
    @Test
    void anIncarnationThatNobodyElseHasToldOfIsNotBelieved() {
        SegmentHeader.remember(segment, 2, 3);
        for (int claimed : new int[]{4, 5, 65_535, Integer.MAX_VALUE}) {
            assertThat(asks(2, claimed)).isEqualTo(Refusal.NOT_MET);
        }
        assertThat(asks(OWNER, OWN_INCARNATION + 1)).isEqualTo(Refusal.NOT_MET);
        assertThat(asks(0, 1)).isEqualTo(Refusal.NOT_MET);
        assertThat(asks(2, 3)).as("the living rank").isNull();
        assertThat(segment.getAcquire(SegmentHeader.fencedWord(2))).isZero();
    }

    @Test
    void incarnationsThatThereCannotBeAreThoseOfStrangers() {
        assertThat(asks(2, 0)).isEqualTo(Refusal.STRANGER);
        assertThat(asks(2, Integer.MIN_VALUE)).isEqualTo(Refusal.STRANGER);
        assertThat(asks(3, 1)).isEqualTo(Refusal.STRANGER);
        assertThat(asks(-1, 1)).isEqualTo(Refusal.STRANGER);
        assertThat(admission.refusal(null)).isEqualTo(Refusal.STRANGER);
    }

    /** Otherwise one rank could make the owner hold any number of connections. */
    @Test
    void aRankHasABoundedNumberOfConnections() {
        SegmentHeader.remember(segment, 2, 3);
        for (int lane : new int[]{-1, PeerConnections.MOST_LANES, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(admission.refusal(new ConnectRequest(WORLD, 2, OWNER, 3, OWN_INCARNATION, lane, 1)))
                    .isEqualTo(Refusal.STRANGER);
        }
        assertThat(admission
                .refusal(new ConnectRequest(WORLD, 2, OWNER, 3, OWN_INCARNATION, PeerConnections.MOST_LANES - 1, 1)))
                .isNull();
    }

    @Test
    void thoseThatWereShutOutStayShutOut() {
        SegmentHeader.remember(segment, 2, 3);
        SegmentHeader.noteFenced(segment, 2, 3);
        assertThat(asks(2, 3)).isEqualTo(Refusal.FENCED);
        assertThat(asks(2, 2)).isEqualTo(Refusal.FENCED);
        SegmentHeader.remember(segment, 2, 4);
        assertThat(asks(2, 4)).isNull();
    }

    @Test
    void whatIsMeantForAnotherSegmentIsRefused() {
        SegmentHeader.remember(segment, 2, 3);
        assertThat(admission.refusal(new ConnectRequest(WORLD, 2, 0, 3, OWN_INCARNATION, 0, 1)))
                .isEqualTo(Refusal.OTHER_RANK);
        assertThat(admission.refusal(new ConnectRequest(WORLD, 2, OWNER, 3, 1, 0, 1)))
                .isEqualTo(Refusal.OTHER_INCARNATION);
        assertThat(admission.refusal(
                new ConnectRequest(new WorldIdentity("another", 3), 2, OWNER, 3, OWN_INCARNATION, 0, 1)))
                .isEqualTo(Refusal.OTHER_WORLD);
        assertThat(admission.refusal(new ConnectRequest(SegmentHeader.LAYOUT_VERSION + 1, WORLD.id(), 2, OWNER, 3,
                OWN_INCARNATION, 0, 0, 0, 1))).isEqualTo(Refusal.OTHER_LAYOUT);
    }

    /** A rank that has lost its memory uses numbers again: a number alone does not tell the two segments apart. */
    @Test
    void whoKnowsASegmentThatWasLostIsRefusedThoughTheNumberIsTheSame() {
        SegmentHeader.write(segment, WORLD, OWNER, OWN_INCARNATION, MemoryPlace.PRIVATE);
        SegmentHeader.remember(segment, 2, 3);
        ConnectRequest asked = new ConnectRequest(WORLD, 2, OWNER, 3, OWN_INCARNATION, 0, 1);
        assertThat(admission.refusal(asked.of(OWN_INCARNATION, 0))).isNull();
        assertThat(admission.refusal(asked.of(Handshake.ANY_SEGMENT, 0))).as("at first contact").isNull();
        assertThat(admission.refusal(asked.of(OWN_INCARNATION - 1, 0))).isEqualTo(Refusal.OTHER_INCARNATION);
    }

    @Test
    void aRankIsToldTheLastLifeOfItThatIsKnown() {
        SegmentHeader.write(segment, WORLD, OWNER, OWN_INCARNATION, MemoryPlace.PRIVATE);
        assertThat(admission.told(2)).isEqualTo(new RefusalDetails(OWN_INCARNATION, OWN_INCARNATION, 0));
        SegmentHeader.remember(segment, 2, 3);
        assertThat(admission.told(2).met()).isEqualTo(3);
        SegmentHeader.noteFenced(segment, 2, 5);
        assertThat(admission.told(2).met()).isEqualTo(5);
    }

    // --- requesters that come too early ---

    /** A clock on which each pause lets time pass. */
    private static final class Passing implements Clock {

        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void pause(int attempt) {
            nanos += TimeUnit.MILLISECONDS.toNanos(100);
        }
    }

    private static NotMetException early() {
        return new NotMetException(new RankUnreachableException("early", "read", 1, 0));
    }

    @Test
    void aRankThatComesBeforeItWasMetComesAgain() {
        AtomicInteger attempts = new AtomicInteger();
        int result = ConnectRetry.persist(ConnectDeadline.of(new Passing(), Duration.ofSeconds(10)), () -> {
            if (attempts.incrementAndGet() < 5) {
                throw early();
            }
            return 7;
        });
        assertThat(result).isEqualTo(7);
        assertThat(attempts).hasValue(5);
    }

    @Test
    void aRankThatIsNeverMetIsToldSo() {
        Passing clock = new Passing();
        assertThatThrownBy(() -> ConnectRetry.persist(ConnectDeadline.of(clock, Duration.ofSeconds(10)), () -> {
            throw early();
        })).isInstanceOf(RankUnreachableException.class).hasMessageStartingWith("early");
        assertThat(clock.nanoTime()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    }
}
