package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.jspecify.annotations.Nullable;

/** The functions of librdmacm. */
final class Rdmacm {

    private static @Nullable Rdmacm instance;

    final NativeFunction createEventChannel;
    final NativeFunction destroyEventChannel;
    final NativeFunction getEvent;
    final NativeFunction acknowledgeEvent;
    final NativeFunction createId;
    final NativeFunction destroyId;
    final NativeFunction destroyEndpoint;
    final NativeFunction bind;
    final NativeFunction listen;
    final NativeFunction resolveAddress;
    final NativeFunction resolveRoute;
    final NativeFunction connect;
    final NativeFunction accept;
    final NativeFunction reject;
    final NativeFunction disconnect;
    final NativeFunction createQueuePair;
    final NativeFunction destroyQueuePair;

    private Rdmacm(NativeLibrary library) throws RdmaUnavailableException {
        createEventChannel = library.pointerFunction("rdma_create_event_channel");
        destroyEventChannel = library.voidFunction("rdma_destroy_event_channel", ADDRESS);
        getEvent = library.intFunction("rdma_get_cm_event", ADDRESS, ADDRESS);
        acknowledgeEvent = library.intFunction("rdma_ack_cm_event", ADDRESS);
        createId = library.intFunction("rdma_create_id", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
        destroyId = library.intFunction("rdma_destroy_id", ADDRESS);
        destroyEndpoint = library.voidFunction("rdma_destroy_ep", ADDRESS);
        bind = library.intFunction("rdma_bind_addr", ADDRESS, ADDRESS);
        listen = library.intFunction("rdma_listen", ADDRESS, JAVA_INT);
        resolveAddress = library.intFunction("rdma_resolve_addr", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
        resolveRoute = library.intFunction("rdma_resolve_route", ADDRESS, JAVA_INT);
        connect = library.intFunction("rdma_connect", ADDRESS, ADDRESS);
        accept = library.intFunction("rdma_accept", ADDRESS, ADDRESS);
        reject = library.intFunction("rdma_reject", ADDRESS, ADDRESS, JAVA_BYTE);
        disconnect = library.intFunction("rdma_disconnect", ADDRESS);
        createQueuePair = library.intFunction("rdma_create_qp", ADDRESS, ADDRESS, ADDRESS);
        destroyQueuePair = library.voidFunction("rdma_destroy_qp", ADDRESS);
    }

    static synchronized Rdmacm load() throws RdmaUnavailableException {
        if (instance == null) {
            instance = new Rdmacm(NativeLibrary.load("librdmacm.so.1", "librdmacm1"));
        }
        return instance;
    }
}
