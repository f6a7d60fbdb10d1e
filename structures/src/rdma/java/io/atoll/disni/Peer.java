package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.LinkedList;
import java.util.List;

/**
 * One end of a connection. The other end may read, write and update this end's memory. The class uses nothing but
 * DiSNI's API.
 */
final class Peer implements AutoCloseable {

    static final int WORK_REQUESTS = 16;
    private static final int MEMORY_BYTES = 4096;
    private static final int ACCESS = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE
            | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_ATOMIC;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final RdmaCmId id;
    final IbvPd domain;
    final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY_BYTES).order(ByteOrder.nativeOrder());
    final IbvMr region;
    final IbvQP queuePair;
    private final IbvCompChannel announcements;
    private final IbvCQ queue;
    private final IbvWC[] completions = {new IbvWC()};
    private final SVCPollCq poll;

    Peer(RdmaCmId id) throws Exception {
        this.id = id;
        domain = id.getVerbs().allocPd();
        region = domain.regMr(memory, ACCESS).execute().free().getMr();
        announcements = id.getVerbs().createCompChannel();
        queue = id.getVerbs().createCQ(announcements, 2 * WORK_REQUESTS, 0);
        poll = queue.poll(completions, 1);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(WORK_REQUESTS);
        attributes.cap().setMax_recv_wr(WORK_REQUESTS);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        queuePair = id.createQP(domain, attributes);
    }

    /**
     * Returns a signaled request between the word at a position of this end's memory and a word of the other end's
     * memory.
     */
    IbvSendWR word(int opcode, int position, Peer other, int otherPosition) {
        IbvSge element = new IbvSge();
        element.setAddr(region.getAddr() + position);
        element.setLength(Long.BYTES);
        element.setLkey(region.getLkey());
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(position);
        request.setOpcode(opcode);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        request.setSg_list(new LinkedList<>(List.of(element)));
        request.getRdma().setRemote_addr(other.region.getAddr() + otherPosition);
        request.getRdma().setRkey(other.region.getRkey());
        request.getAtomic().setRemote_addr(other.region.getAddr() + otherPosition);
        request.getAtomic().setRkey(other.region.getRkey());
        return request;
    }

    /** Posts one request and returns its completion, whatever its status. */
    IbvWC complete(IbvSendWR request) throws Exception {
        queuePair.postSend(List.of(request), null).execute().free();
        return nextCompletion();
    }

    IbvWC nextCompletion() throws Exception {
        awaitCompletion();
        return completions[0].clone();
    }

    void awaitCompletion() throws IOException {
        long startNanos = System.nanoTime();
        while (poll.execute().getPolls() == 0) {
            if (System.nanoTime() - startNanos > PATIENCE.toNanos()) {
                throw new AssertionError("no completion: waited=" + PATIENCE);
            }
            Thread.onSpinWait();
        }
    }

    /** Returns true if the announcement of a completion came that this end had asked for. */
    boolean awaitAnnouncement(int timeoutMillis) throws Exception {
        boolean announced = announcements.getCqEvent(queue, timeoutMillis);
        if (announced) {
            queue.ackEvents(1);
        }
        return announced;
    }

    void requestAnnouncement() throws Exception {
        queue.reqNotification(false).execute().free();
    }

    @Override
    public void close() throws IOException {
        if (queuePair.isOpen()) {
            id.destroyQP();
        }
        poll.free();
        assertThat(queue.destroyCQ()).isZero();
        assertThat(announcements.destroyCompChannel()).isZero();
        region.deregMr().execute().free();
        // The domain's own method may throw anything.
        assertThat(RdmaVerbs.open().deallocPd(domain)).isZero();
        assertThat(id.destroyId()).isZero();
    }
}
