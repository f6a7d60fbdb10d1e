package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.StructureLocator;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the connections of a process before and after a rank has come back without its segment. */
class PeerConnectionsRenewedTest {

    private static final int LOST = 1;
    private static final int KEPT = 0;

    private final List<Breaking> made = new ArrayList<>();
    private final PeerConnections<Breaking> former = peerConnections();
    private final ThreadContexts<Breaking, ThreadLanes<Breaking>> threadContexts = new ThreadContexts<>(() -> {}, 2, 2,
            lanes -> lanes);
    private PeerConnections<Breaking> renewed;

    private static final class Breaking extends UnusedLane {

        private boolean isBroken;

        @Override
        public boolean isUsable() {
            return !isBroken;
        }

        @Override
        public boolean hasLostWrites() {
            return isBroken;
        }
    }

    private PeerConnections<Breaking> peerConnections() {
        return new PeerConnections<>(new FakeConnecting<>() {

            @Override
            public Breaking connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                    long offset) {
                made.add(new Breaking());
                return made.getLast();
            }
        }, 2, new StructureLocator());
    }

    private static PeerAddress target(int rank, int born) {
        return new PeerAddress(rank, born, born, InetSocketAddress.createUnresolved("localhost", 1));
    }

    private static Breaking use(PeerConnections<Breaking> peerConnections, ThreadLanes<Breaking> thread, int rank) {
        return peerConnections.lane(thread, rank, "write", 0, 8);
    }

    @BeforeEach
    void lose() {
        former.open(target(KEPT, 1));
        former.open(target(LOST, 1));
        use(former, threadContexts.caller(), LOST);
        use(former, threadContexts.caller(), KEPT);
        made.getFirst().isBroken = true;
        renewed = former.renewed(LOST, 2, new StructureLocator());
        renewed.open(target(LOST, 2));
    }

    private ThreadLanes<Breaking> renewedThread() {
        return threadContexts.<ThreadLanes<Breaking>>renewed(() -> {}, lanes -> lanes).caller();
    }

    @Test
    void theFormerReachAllButTheLostSegment() {
        assertThatExceptionOfType(SegmentLostException.class)
                .isThrownBy(() -> use(former, threadContexts.caller(), LOST))
                .satisfies(lost -> assertThat(lost.born()).isEqualTo(2));
        assertThat(use(former, threadContexts.caller(), KEPT)).isSameAs(use(renewed, renewedThread(), KEPT));
        assertThat(former.isOpen(LOST)).isFalse();
        assertThat(renewed.isOpen(LOST)).isTrue();
    }

    @Test
    void eachLossLeavesTheFormerOnesAsTheyAre() {
        PeerConnections<Breaking> third = renewed.renewed(LOST, 3, new StructureLocator());
        third.open(target(LOST, 3));
        assertThatExceptionOfType(SegmentLostException.class)
                .isThrownBy(() -> use(former, threadContexts.caller(), LOST))
                .satisfies(lost -> assertThat(lost.born()).isEqualTo(2));
        assertThatExceptionOfType(SegmentLostException.class)
                .isThrownBy(() -> use(renewed, threadContexts.caller(), LOST))
                .satisfies(lost -> assertThat(lost.born()).isEqualTo(3));
        assertThat(use(third, threadContexts.caller(), LOST)).isNotNull();
    }

    /** Otherwise the thread would be told, for the present segment, that a write to the lost one has not arrived. */
    @Test
    void whatWasWrittenToTheLostSegmentIsNoBusinessOfThePresentOne() {
        assertThatCode(() -> use(renewed, renewedThread(), LOST)).doesNotThrowAnyException();
        assertThatCode(() -> renewed.flush(renewedThread(), LOST)).doesNotThrowAnyException();
    }

    @Test
    void aThreadIsToldOfWritesToOthersThatWereLostBetweenTheTwo() {
        made.get(1).isBroken = true;
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> use(renewed, renewedThread(), KEPT))
                .withMessageContaining("an earlier write may be lost");
    }

    @Test
    void theEndOfAnyIsTheEndOfAll() {
        former.close();
        assertThat(renewed.isOpen(LOST)).isFalse();
        assertThat(renewed.isOpen(KEPT)).isFalse();
        assertThat(renewed.peers()).isEmpty();
    }
}
