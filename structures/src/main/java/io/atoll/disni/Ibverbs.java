package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;

/**
 * The functions of libibverbs that set things up and tear them down. Posting and polling are functions of the driver;
 * see {@link Operations}.
 */
final class Ibverbs {

    private static @Nullable Ibverbs instance;

    final NativeFunction getDeviceList;
    final NativeFunction freeDeviceList;
    final NativeFunction getDeviceName;
    final NativeFunction openDevice;
    final NativeFunction closeDevice;
    final NativeFunction queryDevice;
    public final NativeFunction allocateProtectionDomain;
    public final NativeFunction deallocateProtectionDomain;
    public final NativeFunction registerMemory;
    public final NativeFunction deregisterMemory;
    public final NativeFunction createCompletionChannel;
    public final NativeFunction destroyCompletionChannel;
    public final NativeFunction createCompletionQueue;
    public final NativeFunction destroyCompletionQueue;
    public final NativeFunction getCompletionEvent;
    public final NativeFunction acknowledgeCompletionEvents;

    private Ibverbs(NativeLibrary library) throws RdmaUnavailableException {
        getDeviceList = library.pointerFunction("ibv_get_device_list", ADDRESS);
        freeDeviceList = library.voidFunction("ibv_free_device_list", ADDRESS);
        getDeviceName = library.pointerFunction("ibv_get_device_name", ADDRESS);
        openDevice = library.pointerFunction("ibv_open_device", ADDRESS);
        closeDevice = library.intFunction("ibv_close_device", ADDRESS);
        queryDevice = library.intFunction("ibv_query_device", ADDRESS, ADDRESS);
        allocateProtectionDomain = library.pointerFunction("ibv_alloc_pd", ADDRESS);
        deallocateProtectionDomain = library.intFunction("ibv_dealloc_pd", ADDRESS);
        registerMemory = library.pointerFunction("ibv_reg_mr", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
        deregisterMemory = library.intFunction("ibv_dereg_mr", ADDRESS);
        createCompletionChannel = library.pointerFunction("ibv_create_comp_channel", ADDRESS);
        destroyCompletionChannel = library.intFunction("ibv_destroy_comp_channel", ADDRESS);
        createCompletionQueue = library.pointerFunction("ibv_create_cq", ADDRESS, JAVA_INT, ADDRESS, ADDRESS,
                JAVA_INT);
        destroyCompletionQueue = library.intFunction("ibv_destroy_cq", ADDRESS);
        getCompletionEvent = library.intFunction("ibv_get_cq_event", ADDRESS, ADDRESS, ADDRESS);
        acknowledgeCompletionEvents = library.voidFunction("ibv_ack_cq_events", ADDRESS, JAVA_INT);
    }

    static synchronized Ibverbs load() throws RdmaUnavailableException {
        if (instance == null) {
            instance = new Ibverbs(NativeLibrary.load("libibverbs.so.1", "libibverbs1"));
        }
        return instance;
    }
}
