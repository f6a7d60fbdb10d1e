package io.atoll.disni;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's connection manager. Each call is passed on to its object. A result of type int is 0 or an error number of
 * {@code errno.h}.
 */
final class ForeignRdmaCm extends RdmaCm {

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        return EventChannel.create();
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        return ConnectionId.create((EventChannel) channel, portSpace);
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd domain, IbvQPInitAttr attributes) throws IOException {
        return id.createQP(domain, attributes);
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        id.bindAddr(address);
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        id.listen(backlog);
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        id.resolveAddr(source, destination, timeoutMillis);
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
        id.resolveRoute(timeoutMillis);
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        return channel.getCmEvent(timeoutMillis);
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        id.connect(parameters);
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        id.accept(parameters);
    }

    /** Does nothing: an event is acknowledged when it is taken. */
    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        return id.disconnect();
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        return channel.destroyEventChannel();
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        return id.destroyId();
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        return id.destroyQP();
    }

    @Override
    public @Nullable SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return id.getSource();
    }

    @Override
    public @Nullable SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return id.getDestination();
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        return id.destroyEp();
    }
}
