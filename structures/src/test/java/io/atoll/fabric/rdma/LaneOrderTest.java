package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import io.atoll.disni.SendChain;
import io.atoll.fabric.Clock;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.FakeConnecting;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.PeerConnection;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.fabric.rdma.FakeWire.Posted;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests, without a device, how lanes number and mark what they post, and how links replace broken lanes. */
@Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
class LaneOrderTest {

    private static final int DEPTH = 16;
    private static final int WRITE = IbvSendWR.IBV_WR_RDMA_WRITE;
    private static final int READ = IbvSendWR.IBV_WR_RDMA_READ;
    private static final int ATOMIC = IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD;

    private final FakeWire wire = new FakeWire();
    private final Alarm alarm = new Alarm();
    private final QueuePairLane lane = lane(wire, alarm);

    private static QueuePairLane lane(FakeWire wire, Alarm alarm) {
        return new QueuePairLane(1, new RemoteSegment(1 << 20, 1 << 10, 3), wire, DEPTH, Clock.SYSTEM, alarm);
    }

    private static SendChain chain(int... opcodes) {
        return new SendChain(Arrays.stream(opcodes).mapToObj(LaneOrderTest::request).toList());
    }

    private static IbvSendWR request(int opcode) {
        IbvSge element = new IbvSge();
        element.setLength(Long.BYTES);
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(opcode);
        request.setSg_list(new LinkedList<>(List.of(element)));
        return request;
    }

    private long post(boolean awaited, int... opcodes) {
        return lane.post(chain(opcodes), 0, opcodes.length - 1, opcodes.length, awaited, "write", 0);
    }

    private List<Boolean> fenced(int from) {
        return wire.posted.subList(from, wire.posted.size()).stream().map(Posted::isFenced).toList();
    }

    // --- order ---

    @Test
    void writesAndAtomicsWaitForReadsAndAtomicsBeforeThemAndNothingElseWaits() {
        post(false, WRITE, READ, READ, WRITE, ATOMIC, WRITE);
        assertThat(fenced(0)).containsExactly(false, false, false, true, true, true);
    }

    @Test
    void whatHasCompletedNeedNotBeWaitedFor() {
        long number = post(true, READ);
        post(false, WRITE);
        assertThat(fenced(1)).containsExactly(true);
        wire.complete(number);
        lane.await(number, "read", 0);
        post(false, WRITE, READ);
        assertThat(fenced(2)).containsExactly(false, false);
        post(false, ATOMIC);
        assertThat(fenced(4)).containsExactly(true);
    }

    @Test
    void aCompletionIsAskedForByWhoeverWaitsAndNowAndThen() {
        for (int index = 0; index < 8; index++) {
            post(false, WRITE);
        }
        assertThat(wire.posted.stream().map(Posted::isSignaled)).containsExactly(false, false, false, true, false,
                false, false, true);
        post(true, WRITE, WRITE);
        assertThat(wire.posted.subList(8, 10).stream().map(Posted::isSignaled)).containsExactly(false, true);
        assertThat(wire.posted).allMatch(Posted::isInline);
    }

    // --- requests that are not taken ---

    @Test
    void whoWaitsBehindARejectedPostIsToldAndDoesNotPollForEver() {
        long unsignaled = post(false, WRITE);
        wire.taken = 0;
        assertThatThrownBy(() -> post(true, WRITE)).isInstanceOf(RankUnreachableException.class)
                .hasMessageContaining("the connection broke");
        assertThatThrownBy(() -> lane.await(unsignaled, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThatThrownBy(lane::flush).isInstanceOf(RankUnreachableException.class);
        assertThatThrownBy(() -> post(false, WRITE)).isInstanceOf(RankUnreachableException.class);
        assertThat(lane.isUsable()).isFalse();
        assertThat(lane.hasLostWrites()).isTrue();
    }

    @Test
    void whoWaitsForTheFirstRequestsOfAChainThatIsNotTakenAsAWholeIsTold() {
        wire.taken = 2;
        assertThatThrownBy(() -> post(true, WRITE, WRITE, WRITE)).isInstanceOf(RankUnreachableException.class);
        assertThatThrownBy(() -> lane.await(1, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThatThrownBy(() -> lane.await(2, "write", 0)).isInstanceOf(RankUnreachableException.class);
    }

    @Test
    void whatHadAskedForACompletionBeforeARejectionStillCompletes() {
        long awaited = post(true, WRITE);
        wire.taken = 0;
        assertThatThrownBy(() -> post(true, WRITE)).isInstanceOf(RankUnreachableException.class);
        assertThat(lane.isDone(awaited, "write", 0)).isFalse();
        wire.complete(awaited);
        lane.await(awaited, "write", 0);
        assertThat(lane.isDone(awaited, "write", 0)).isTrue();
    }

    @Test
    void theRequestThatFailedAndAllBehindItHaveFailed() {
        long first = post(true, WRITE);
        long second = post(true, WRITE);
        wire.complete(first);
        wire.fail(second, 12);
        assertThatThrownBy(() -> lane.await(second, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(lane.isDone(first, "write", 0)).isTrue();
    }

    @Test
    void whenThePeerHasEndedTheConnectionWaitersAreTold() {
        long number = post(true, WRITE);
        wire.ended = "RDMA_CM_EVENT_DISCONNECTED";
        assertThatThrownBy(() -> lane.await(number, "write", 0)).isInstanceOf(RankUnreachableException.class)
                .hasMessageContaining("DISCONNECTED");
    }

    // --- the state of a lane ---

    @Test
    void requestsThatHaveAskedForACompletionAreUnansweredUntilItIsThere() {
        post(false, WRITE);
        assertThat(lane.unanswered()).as("nobody waits for it").isZero();
        long number = post(true, WRITE, READ);
        assertThat(lane.unanswered()).isEqualTo(3);
        wire.complete(number);
        assertThat(lane.unanswered()).as("also where no thread polls").isZero();
        assertThat(lane.broken()).isNull();
    }

    @Test
    void aLaneSaysWhyItIsBroken() throws IOException {
        long number = post(true, WRITE);
        wire.fail(number, 12);
        assertThatThrownBy(() -> lane.await(number, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(lane.broken()).isEqualTo("IBV_WC_RETRY_EXC_ERR");
        assertThat(lane.unanswered()).isZero();
        lane.close("the rank has left");
        assertThat(lane.broken()).isEqualTo("the rank has left");
    }

    @ParameterizedTest
    @CsvSource({"IBV_WC_RETRY_EXC_ERR, true", "IBV_WC_REM_ACCESS_ERR, false"})
    void aLaneHasFallenSilentWhoseRetriesAreUsedUp(IbvWcStatus status, boolean isSilent) {
        long number = post(true, WRITE);
        assertThat(lane.hasFallenSilent()).isFalse();
        wire.fail(number, status.ordinal());
        assertThatThrownBy(() -> lane.await(number, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(lane.hasFallenSilent()).isEqualTo(isSilent);
    }

    // --- the alarm of a broken lane ---

    private List<Integer> alarms() {
        List<Integer> alarms = new ArrayList<>();
        alarm.listen(alarms::add);
        return alarms;
    }

    @Test
    void aRequestThatHasFailedRaisesTheAlarmOnce() {
        List<Integer> alarms = alarms();
        long first = post(true, WRITE);
        long second = post(true, WRITE);
        wire.fail(second, 12);
        assertThat(lane.isDone(first, "write", 0)).isFalse();
        wire.fail(first, 12);
        assertThatThrownBy(() -> lane.await(first, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(alarms).containsExactly(1);
    }

    @Test
    void anErrorThatBreaksALaneRaisesTheAlarmOnce() {
        List<Integer> alarms = alarms();
        wire.taken = 1;
        wire.errorWhilePosting = ERROR;
        assertThatThrownBy(() -> post(true, READ, READ)).isSameAs(ERROR);
        assertThat(alarms).containsExactly(1);
    }

    @Test
    void aLaneThatIsClosedRaisesNoAlarm() throws IOException {
        List<Integer> alarms = alarms();
        long number = post(true, WRITE);
        lane.close("the rank has left");
        assertThatThrownBy(() -> lane.await(number, "write", 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(alarms).isEmpty();
    }

    // --- errors of the virtual machine ---

    private static final Error ERROR = new OutOfMemoryError("for a test");

    private void isGivenUp(long number) {
        assertThat(lane.isUsable()).isFalse();
        assertThat(wire.brokenOff).as("nothing arrives any more").isTrue();
        assertThatThrownBy(() -> lane.await(number, "read", 0)).isInstanceOf(RankUnreachableException.class)
                .hasMessageContaining("an error in a thread that used the connection");
        assertThatThrownBy(() -> post(true, WRITE)).isInstanceOf(RankUnreachableException.class);
    }

    @Test
    void anErrorWhileAChainIsPostedBreaksTheLane() {
        wire.taken = 1;
        wire.errorWhilePosting = ERROR;
        assertThatThrownBy(() -> post(true, READ, READ)).isSameAs(ERROR);
        isGivenUp(1);
    }

    /** The expected completion is lost with the error, so a thread would wait for ever. */
    @Test
    void anErrorWhileAThreadPollsBreaksTheLane() {
        long number = post(true, READ);
        wire.complete(number);
        wire.errorWhilePolling = ERROR;
        assertThatThrownBy(() -> lane.await(number, "read", 0)).isSameAs(ERROR);
        isGivenUp(number);
    }

    @Test
    void anErrorWhileAThreadLooksWhetherItIsDoneBreaksTheLane() {
        long number = post(true, READ);
        wire.errorWhilePolling = ERROR;
        assertThatThrownBy(() -> lane.isDone(number, "read", 0)).isSameAs(ERROR);
        isGivenUp(number);
    }

    @Test
    void whatHasCompletedBeforeAnErrorIsDone() {
        long first = post(true, READ);
        wire.complete(first);
        lane.await(first, "read", 0);
        long second = post(true, READ);
        wire.errorWhilePolling = ERROR;
        assertThatThrownBy(() -> lane.await(second, "read", 0)).isSameAs(ERROR);
        assertThat(lane.isDone(first, "read", 0)).isTrue();
        isGivenUp(second);
    }

    @Test
    void ofAChainThatIsRejectedNothingArrivesAnyMore() {
        wire.taken = 1;
        assertThatThrownBy(() -> post(true, READ, READ)).isInstanceOf(RankUnreachableException.class);
        assertThat(wire.brokenOff).isTrue();
    }

    // --- links ---

    private final List<FakeWire> wires = new ArrayList<>();
    private final LateVerbs lateVerbs = new LateVerbs();
    private final PeerConnection<QueuePairLane> peerConnection = new PeerConnection<>(1, new Wired(), 2, lateVerbs);
    private final ThreadLanes<QueuePairLane> thread = new ThreadLanes<>(0, 2);

    private void flush() {
        thread.flush(peerConnection, 1);
    }

    private final class Wired extends FakeConnecting<QueuePairLane> {

        @Override
        public QueuePairLane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            FakeWire next = new FakeWire();
            wires.add(next);
            return LaneOrderTest.lane(next, new Alarm());
        }
    }

    private static PeerAddress target(int incarnation) {
        return new PeerAddress(1, incarnation, InetSocketAddress.createUnresolved("host", 1));
    }

    private void breakLane(int index) {
        QueuePairLane present = peerConnection.lane(index, "write", 0);
        wires.getLast().taken = 0;
        assertThatThrownBy(() -> present.post(chain(WRITE), 0, 0, 1, false, "write", 0))
                .isInstanceOf(RankUnreachableException.class);
    }

    @Test
    void aLaneIsKeptWhenTheSameProcessIsToldOfAtAnotherAddress() {
        peerConnection.open(target(1));
        QueuePairLane first = peerConnection.lane(0, "read", 0);
        peerConnection.open(new PeerAddress(1, 1, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)));
        assertThat(peerConnection.lane(0, "read", 0)).isSameAs(first);
        peerConnection.open(target(2));
        assertThat(peerConnection.lane(0, "read", 0)).isNotSameAs(first);
        assertThat(first.isUsable()).isFalse();
    }

    @Test
    void aLaneIsConnectedAtItsFirstUseAndKept() {
        assertThatThrownBy(() -> peerConnection.lane(0, "read", 0)).isInstanceOf(RankUnreachableException.class);
        peerConnection.open(target(1));
        assertThat(wires).isEmpty();
        QueuePairLane first = peerConnection.lane(0, "read", 0);
        assertThat(peerConnection.lane(0, "read", 0)).isSameAs(first);
        assertThat(peerConnection.lane(1, "read", 0)).isNotSameAs(first);
        peerConnection.open(target(1));
        assertThat(peerConnection.lane(0, "read", 0)).isSameAs(first);
        assertThat(wires).hasSize(2);
    }

    /** What the broken lane had under way must not arrive after what is posted from now on, by any lane. */
    @Test
    void whoeverUsesTheConnectionReplacesEveryLaneThatBroke() {
        peerConnection.open(target(1));
        QueuePairLane other = peerConnection.lane(1, "write", 0);
        breakLane(0);
        assertThat(peerConnection.lane(1, "write", 0)).isSameAs(other);
        assertThat(wires).hasSize(3);
        assertThat(wires.get(1).cut).as("the broken one").isTrue();
        assertThat(wires.get(1).destroyed).isTrue();
        assertThat(wires.get(0).cut).isFalse();
        assertThat(peerConnection.lane(0, "write", 0).isUsable()).isTrue();
        assertThat(wires).hasSize(3);
    }

    @Test
    void whatWasPostedToALaneThatBreaksMayArriveLateUntilItIsReplaced() {
        peerConnection.open(target(1));
        peerConnection.lane(0, "write", 0);
        assertThat(lateVerbs.areAny()).isFalse();
        breakLane(0);
        assertThat(lateVerbs.areAny()).isTrue();
        peerConnection.lane(1, "write", 0);
        assertThat(lateVerbs.areAny()).isFalse();
    }

    /** An error may have struck the thread that was about to count the lane. */
    @Test
    void whoeverIsToldOfAFailureSeesThatChangesMayBeLate() {
        wire.taken = 0;
        assertThatThrownBy(() -> post(true, WRITE)).isInstanceOf(RankUnreachableException.class);
        lane.late().countBy(lateVerbs, 1, 1);
        assertThat(lateVerbs.areAny()).as("counted when the lane broke").isFalse();
        assertThatThrownBy(() -> post(true, WRITE)).isInstanceOf(RankUnreachableException.class);
        assertThat(lateVerbs.areAny()).isTrue();
    }

    @Test
    void lossesOfALaneThatWasReplacedAreToldByTheNextFlushOnce() {
        peerConnection.open(target(1));
        flush();
        breakLane(0);
        peerConnection.lane(0, "write", 0);
        assertThatThrownBy(this::flush).isInstanceOf(RankUnreachableException.class)
                .hasMessageContaining("earlier writes may be lost");
        flush();
    }

    @Test
    void anotherIncarnationIsReachedByNewLanesOnlyAndOwesNothing() {
        peerConnection.open(target(1));
        flush();
        breakLane(0);
        QueuePairLane before = peerConnection.lane(0, "write", 0);
        peerConnection.open(target(2));
        assertThat(wires).allMatch(each -> each.cut && each.destroyed);
        assertThat(peerConnection.lane(0, "write", 0)).isNotSameAs(before);
        flush();
        peerConnection.close("fenced");
        assertThat(peerConnection.isOpen()).isFalse();
        assertThat(IntStream.range(0, wires.size())).allMatch(index -> wires.get(index).cut);
        assertThatThrownBy(this::flush).isInstanceOf(RankUnreachableException.class);
    }
}
