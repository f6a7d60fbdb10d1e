package io.atoll.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** DiSNI's verbs. A result of type int is 0 or an error number of {@code errno.h}, except where stated otherwise. */
@SuppressWarnings("restricted") // DiSNI names memory by its address.
final class ForeignVerbs extends RdmaVerbs {

    private static final int NOT_SUPPORTED = -1;

    @Override
    public IbvPd allocPd(IbvContext device) throws IOException {
        return ProtectionDomain.allocate((DeviceContext) device);
    }

    @Override
    public int deallocPd(IbvPd domain) throws IOException {
        return ((ProtectionDomain) domain).deallocPd();
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext device) throws IOException {
        return CompletionChannel.create((DeviceContext) device);
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        return channel.destroyCompChannel();
    }

    @Override
    public IbvCQ createCQ(IbvContext device, @Nullable IbvCompChannel channel, int completions, int vector)
            throws IOException {
        return CompletionQueue.create((DeviceContext) device, (CompletionChannel) channel, completions, vector);
    }

    @Override
    public int destroyCQ(IbvCQ queue) throws IOException {
        return queue.destroyCQ();
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeoutMillis) throws IOException {
        return channel.getCqEvent(queue, timeoutMillis);
    }

    @Override
    public int ackCqEvents(IbvCQ queue, int events) throws IOException {
        return queue.ackEvents(events);
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicitedOnly) {
        return new RequestNotification((CompletionQueue) queue, solicitedOnly);
    }

    /** Registers the whole buffer, regardless of its position and limit. */
    @Override
    public SVCRegMr regMr(IbvPd domain, ByteBuffer buffer, int access) {
        return new RegisterMemory((ProtectionDomain) domain, MemorySegment.ofBuffer(buffer.duplicate().clear()),
                access);
    }

    @Override
    public SVCRegMr regMr(IbvPd domain, long address, int length, int access) {
        MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(length);
        return new RegisterMemory((ProtectionDomain) domain, memory, access);
    }

    @Override
    public SVCDeregMr deregMr(IbvMr region) {
        return new DeregisterMemory((MemoryRegion) region);
    }

    @Override
    public SVCPostSend postSend(IbvQP queuePair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> rejected) {
        return new PostSend((QueuePair) queuePair, requests, rejected);
    }

    @Override
    public SVCPostRecv postRecv(IbvQP queuePair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> rejected) {
        return new PostReceive((QueuePair) queuePair, requests, rejected);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] completions, int most) {
        return new PollCompletions((CompletionQueue) queue, completions, most);
    }

    /** Returns DiSNI's -1: memory is always pinned. */
    @Override
    public int queryOdpSupport(IbvContext device) {
        return NOT_SUPPORTED;
    }

    /** Returns DiSNI's -1: memory is always pinned, and present already. */
    @Override
    public int expPrefetchMr(IbvMr region, long address, int length) {
        return NOT_SUPPORTED;
    }
}
