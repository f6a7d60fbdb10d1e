package io.atoll.disni;

import static com.ibm.disni.verbs.IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP;
import static com.ibm.disni.verbs.IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD;
import static com.ibm.disni.verbs.IbvSendWR.IBV_WR_RDMA_READ;
import static com.ibm.disni.verbs.IbvSendWR.IBV_WR_RDMA_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.IbvWC.IbvWcOpcode;
import com.ibm.disni.verbs.SVCPostSend;
import io.atoll.AllocatedBytes;
import io.atoll.fabric.rdma.NeedsRdmaDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Reads, writes and atomics, each posted in the way in which DiSNI's programs post it. The first positions are local;
 * those from 64 on are the server's.
 */
@NeedsRdmaDevice
class OneSidedVerbsTest {

    private static final int HERE = 0;
    private static final int THERE = 64;
    private static final int TIMES = 500;

    private Connection connection;
    private Peer client;
    private Peer server;
    private long executed;

    @BeforeEach
    void connect() throws Exception {
        ForeignProvider.install();
        connection = new Connection();
        client = connection.client;
        server = connection.server;
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
    }

    @Test
    void aWriteArrivesAndIsReadBack() throws Exception {
        client.memory.putLong(HERE, 0x0123_4567_89AB_CDEFL);

        assertSuccess(client.complete(verb(IBV_WR_RDMA_WRITE, HERE)), IbvWcOpcode.IBV_WC_RDMA_WRITE);
        assertSuccess(client.complete(verb(IBV_WR_RDMA_READ, HERE + 8)), IbvWcOpcode.IBV_WC_RDMA_READ);

        assertThat(server.memory.getLong(THERE)).isEqualTo(0x0123_4567_89AB_CDEFL);
        assertThat(client.memory.getLong(HERE + 8)).isEqualTo(0x0123_4567_89AB_CDEFL);
    }

    @Test
    void compareAndSwapReturnsWhatWasThereAndSwapsOnlyTheExpected() throws Exception {
        server.memory.putLong(THERE, 41);

        assertThat(compareAndSwap(41, 42)).isEqualTo(41);
        assertThat(server.memory.getLong(THERE)).isEqualTo(42);
        assertThat(compareAndSwap(41, 43)).isEqualTo(42);
        assertThat(server.memory.getLong(THERE)).isEqualTo(42);
    }

    @Test
    void fetchAndAddReturnsWhatWasThere() throws Exception {
        server.memory.putLong(THERE, -5);
        IbvSendWR add = verb(IBV_WR_ATOMIC_FETCH_AND_ADD, HERE);
        add.getAtomic().setCompare_add(7);

        assertSuccess(client.complete(add), IbvWcOpcode.IBV_WC_FETCH_ADD);

        assertThat(client.memory.getLong(HERE)).isEqualTo(-5);
        assertThat(server.memory.getLong(THERE)).isEqualTo(2);
    }

    @Test
    void anAtomicLaidOutOnceIsPostedAgainWithOtherValues() throws Exception {
        IbvSendWR prepared = verb(IBV_WR_ATOMIC_CMP_AND_SWP, HERE);
        prepared.getAtomic().setSwap(1);
        PostSend call = (PostSend) client.queuePair.postSend(List.of(prepared), null);
        SendWorkRequest.Atomic atomic = call.getWrMod(0).getAtomicMod();

        for (long value = 0; value < 200; value++) {
            atomic.setCompare_add(value);
            atomic.setSwap(value + 1);
            call.execute();
            assertSuccess(client.nextCompletion(), IbvWcOpcode.IBV_WC_COMP_SWAP);
            assertThat(client.memory.getLong(HERE)).isEqualTo(value);
        }

        call.free();
        assertThat(server.memory.getLong(THERE)).isEqualTo(200);
    }

    @Test
    void postingAndPollingAgainAllocatesNothing() throws Exception {
        IbvSendWR add = verb(IBV_WR_ATOMIC_FETCH_AND_ADD, HERE);
        add.getAtomic().setCompare_add(1);
        SVCPostSend call = client.queuePair.postSend(List.of(add), null);

        long allocated = AllocatedBytes.of(() -> repeat(call));

        call.free();
        assertThat(allocated).isZero();
        assertThat(server.memory.getLong(THERE)).isEqualTo(executed);
    }

    private void repeat(SVCPostSend call) {
        try {
            for (int time = 0; time < TIMES; time++, executed++) {
                call.execute();
                client.awaitCompletion();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void aChainIsExecutedInItsOrderAndAnnouncedByItsLast() throws Exception {
        client.memory.putLong(HERE, 10);
        IbvSendWR write = verb(IBV_WR_RDMA_WRITE, HERE);
        write.setSend_flags(0);
        IbvSendWR add = verb(IBV_WR_ATOMIC_FETCH_AND_ADD, HERE + 8);
        add.setSend_flags(0);
        add.getAtomic().setCompare_add(5);
        IbvSendWR read = verb(IBV_WR_RDMA_READ, HERE + 16);

        client.queuePair.postSend(List.of(write, add, read), null).execute().free();
        assertSuccess(client.nextCompletion(), IbvWcOpcode.IBV_WC_RDMA_READ);

        assertThat(client.memory.getLong(HERE + 8)).isEqualTo(10);
        assertThat(client.memory.getLong(HERE + 16)).isEqualTo(15);
    }

    @Test
    void aCompletionIsAnnouncedToThoseWhoSleep() throws Exception {
        client.requestAnnouncement();
        assertThat(client.awaitAnnouncement(10)).isFalse();

        client.queuePair.postSend(List.of(verb(IBV_WR_RDMA_READ, HERE)), null).execute().free();

        assertThat(client.awaitAnnouncement(-1)).isTrue();
        assertSuccess(client.nextCompletion(), IbvWcOpcode.IBV_WC_RDMA_READ);
    }

    @Test
    void aForeignKeyIsRefusedByNameAndTheQueueIsFlushed() throws Exception {
        IbvSendWR read = verb(IBV_WR_RDMA_READ, HERE);
        read.getRdma().setRkey(server.region.getRkey() + 1);

        assertThat(status(client.complete(read))).isEqualTo("IBV_WC_REM_ACCESS_ERR");
        assertThat(status(client.complete(verb(IBV_WR_RDMA_READ, HERE)))).isEqualTo("IBV_WC_WR_FLUSH_ERR");
    }

    @Test
    void aWordOutsideTheRegionIsRefusedByName() throws Exception {
        IbvSendWR write = verb(IBV_WR_RDMA_WRITE, HERE);
        write.getRdma().setRemote_addr(server.region.getAddr() + server.region.getLength());

        assertThat(status(client.complete(write))).isEqualTo("IBV_WC_REM_ACCESS_ERR");
    }

    @Test
    void aPeerWhoseQueuePairWasDestroyedIsReachedNoMore() throws Exception {
        server.memory.putLong(THERE, 3);
        server.id.destroyQP();
        IbvSendWR add = verb(IBV_WR_ATOMIC_FETCH_AND_ADD, HERE);
        add.getAtomic().setCompare_add(1);

        assertThat(status(client.complete(add))).isIn("IBV_WC_RETRY_EXC_ERR", "IBV_WC_WR_FLUSH_ERR");
        assertThat(server.memory.getLong(THERE)).isEqualTo(3);
    }

    @Test
    void whatTheQueueHasNoRoomForComesBack() throws Exception {
        List<IbvSendWR> many = IntStream.range(0, 64 * Peer.WORK_REQUESTS)
                .mapToObj(index -> verb(IBV_WR_RDMA_WRITE, HERE))
                .toList();
        List<IbvSendWR> rejected = new ArrayList<>();

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> client.queuePair.postSend(many, rejected).execute())
                .withMessageContaining("requests=" + many.size())
                .withMessageContaining("taken=" + (many.size() - rejected.size()));
        assertThat(rejected).isNotEmpty().hasSizeLessThan(many.size());
    }

    private IbvSendWR verb(int opcode, int position) {
        return client.word(opcode, position, server, THERE);
    }

    private long compareAndSwap(long expected, long value) throws Exception {
        IbvSendWR swap = verb(IBV_WR_ATOMIC_CMP_AND_SWP, HERE);
        swap.getAtomic().setCompare_add(expected);
        swap.getAtomic().setSwap(value);
        assertSuccess(client.complete(swap), IbvWcOpcode.IBV_WC_COMP_SWAP);
        return client.memory.getLong(HERE);
    }

    private static void assertSuccess(IbvWC completion, IbvWcOpcode opcode) {
        assertThat(status(completion)).isEqualTo("IBV_WC_SUCCESS");
        assertThat(IbvWcOpcode.valueOf(completion.getOpcode())).isEqualTo(opcode);
    }

    private static String status(IbvWC completion) {
        return Completions.statusName(completion.getStatus());
    }
}
