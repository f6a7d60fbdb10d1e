package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a rank that leaves while its own threads are busy: no thread uses what is already gone. */
@NeedsRdmaDevice
@Timeout(120)
class RdmaClosingTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-closing", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());

    private Attachment attachment;

    @BeforeEach
    void attach() {
        attachment = Fabrics.rdma().attach(WORLD, OptionalInt.of(0), 64 << 10);
    }

    @AfterEach
    void detach() {
        attachment.close();
    }

    private static boolean isRunning(String name) {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().equals(name));
    }

    @Test
    void whoClosesAndIsInterruptedWaitsForTheThreadThatAnswers() {
        assertThat(isRunning("atoll-rdma-verbs-closing-0")).isTrue();
        Thread.currentThread().interrupt();

        attachment.close();

        assertThat(Thread.interrupted()).as("the interruption is kept").isTrue();
        assertThat(isRunning("atoll-rdma-verbs-closing-0")).isFalse();
    }

    @Test
    void whoClosesWaitsForThoseWhoConnect() throws Exception {
        attachment.connect(1, 1, Map.of("rdma.host", absentNeighbour(), "rdma.port", "18515"));
        FutureTask<Long> reading = new FutureTask<>(() -> attachment.fabric().readWord(1, WORD));
        Thread reader = Thread.ofPlatform().start(reading);
        while (Arrays.stream(reader.getStackTrace()).noneMatch(RdmaClosingTest::isInConnector)) {
            assertThat(reading.isDone()).as("an absent neighbour is waited for").isFalse();
        }

        attachment.close();

        assertThat(reading.isDone()).isTrue();
        assertThat(reading.exceptionNow()).isInstanceOf(RankUnreachableException.class);
    }

    private static boolean isInConnector(StackTraceElement frame) {
        return frame.getClassName().startsWith(Connector.class.getName());
    }

    /** Returns an unused address of the device's own network. */
    private static String absentNeighbour() throws Exception {
        byte[] address = RdmaDevice.address().getAddress();
        address[3] = (byte) 213;
        return InetAddress.getByAddress(address).getHostAddress();
    }

    @Test
    void aThreadThatComesLaterIsToldSo() throws Exception {
        Fabric fabric = attachment.fabric();
        attachment.close();
        FutureTask<Long> reading = new FutureTask<>(() -> fabric.readWord(0, WORD));

        Thread.ofPlatform().start(reading).join();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> {
            throw reading.exceptionNow();
        }).withMessageContaining("this process has left its world");
    }
}
