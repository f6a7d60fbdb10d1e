package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.LateVerbs;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which threads learn that writes were lost with their lane, and for how long others may arrive late. */
class LostWritesOfLanesTest {

    private static final int OTHER = 1;

    private final List<Fake> made = new ArrayList<>();
    private final LateVerbs lateVerbs = new LateVerbs();
    private final PeerConnection<Fake> peerConnection = new PeerConnection<>(OTHER, new Connects(), 2, lateVerbs);
    private final ThreadLanes<Fake> first = new ThreadLanes<>(0, 2);
    private final ThreadLanes<Fake> second = new ThreadLanes<>(1, 2);

    /** A lane that loses its writes when it breaks. */
    private static final class Fake extends UnusedLane {

        private boolean broken;
        private boolean doesNotEnd;
        private Runnable whileItFlushes = () -> {};

        @Override
        public boolean isUsable() {
            return !broken;
        }

        @Override
        public String broken() {
            return broken ? "by the test" : null;
        }

        @Override
        public boolean hasLostWrites() {
            return broken;
        }

        @Override
        public void flush() {
            whileItFlushes.run();
        }

        @Override
        public void close(String why) throws IOException {
            if (doesNotEnd) {
                throw new IOException("its socket cannot be closed");
            }
        }
    }

    private final class Connects extends FakeConnecting<Fake> {

        @Override
        public Fake connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            made.add(new Fake());
            return made.getLast();
        }
    }

    private static PeerAddress process(int incarnation) {
        return new PeerAddress(OTHER, incarnation, InetSocketAddress.createUnresolved("localhost", 1));
    }

    private Fake use(ThreadLanes<Fake> thread) {
        return thread.lane(peerConnection, OTHER, "write", 0);
    }

    private void isTold(ThreadLanes<Fake> thread) {
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> thread.flush(peerConnection, OTHER))
                .withMessageContaining("earlier writes may be lost");
    }

    private void isToldNothing(ThreadLanes<Fake> thread) {
        assertThatCode(() -> thread.flush(peerConnection, OTHER)).doesNotThrowAnyException();
    }

    @Test
    void everyThreadThatFlushesIsToldOnce() {
        peerConnection.open(process(1));
        use(first).broken = true;
        use(second); // replaces the other thread's lane
        isTold(second);
        isTold(first);
        isToldNothing(second);
        isToldNothing(first);
    }

    @Test
    void aThreadIsToldOfALaneThatIsReplacedWhileItFlushesAnother() {
        peerConnection.open(process(1));
        Fake flushed = use(first);
        Fake lost = use(second);
        flushed.whileItFlushes = () -> {
            lost.broken = true;
            use(new ThreadLanes<>(0, 2));
        };
        isTold(first);
    }

    @Test
    void aThreadIsNotToldOfWhatWasLostBeforeItsFirstUse() {
        peerConnection.open(process(1));
        use(first).broken = true;
        use(second);
        isToldNothing(new ThreadLanes<>(0, 2));
    }

    @Test
    void whatMayArriveLateEndsWithTheLaneThatReplacesItsOwn() {
        peerConnection.open(process(1));
        Fake lane = use(first);
        lane.late().begin();
        lane.broken = true;
        assertThat(lateVerbs.areAny()).isTrue();
        use(second);
        assertThat(lateVerbs.areAny()).isFalse();
        lane.late().begin(); // by a thread that notices the break now
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void whatMayArriveLateEndsAlthoughTheReplacedLaneCannotBeClosed() {
        peerConnection.open(process(1));
        Fake lane = use(first);
        lane.late().begin();
        lane.broken = true;
        lane.doesNotEnd = true;
        assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> use(first));
        assertThat(use(first)).isNotSameAs(lane);
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void whatAClosedWayHadUnderWayMayArriveUntilTheNextProcessIsReached() {
        peerConnection.open(process(1));
        use(first);
        use(second);
        peerConnection.close("the rank is shut out");
        assertThat(lateVerbs.connections()).hasSize(2);
        peerConnection.open(process(2));
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void nothingArrivesInTheSegmentThatTakesThePlaceOfALostOne() {
        peerConnection.open(process(1));
        use(first);
        peerConnection.close("the rank is shut out");
        peerConnection.renewed(2);
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void ofAnotherProcessNothingWasLost() {
        peerConnection.open(process(1));
        use(first).broken = true;
        use(second);
        peerConnection.open(process(2));
        isToldNothing(first);
        use(second).broken = true;
        use(new ThreadLanes<>(0, 2));
        isTold(first);
    }
}
