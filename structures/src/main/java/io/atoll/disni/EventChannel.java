package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The channel in which the events of connections arrive.
 * <pre>
 *   rdma_event_channel:  0      4
 *                        +------+
 *                        |  fd  |
 *                        +------+
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class EventChannel extends RdmaEventChannel {

    static final StructLayout LAYOUT = MemoryLayout.structLayout(JAVA_INT.withName("fd"))
            .withName("rdma_event_channel");

    private static final int CONNECT_REQUEST = RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal();

    private final Rdmacm library;
    private final MemorySegment pointer;
    private final Map<Long, ConnectionId> ids = new ConcurrentHashMap<>(); // by pointer, until they are destroyed

    private EventChannel(Rdmacm library, MemorySegment pointer) throws IOException {
        super(pointer.get(JAVA_INT, Offsets.of(LAYOUT, "fd")));
        this.library = library;
        this.pointer = pointer;
    }

    /**
     * @throws io.atoll.disni.RdmaUnavailableException if there is no library or no device; the message tells what is
     * missing
     */
    public static EventChannel create() throws IOException {
        Rdmacm library = Rdmacm.load();
        try {
            return new EventChannel(library, library.createEventChannel.pointer().reinterpret(LAYOUT.byteSize()));
        } catch (NativeCallException failure) {
            throw MissingDevice.explain(failure);
        }
    }

    Rdmacm library() {
        return library;
    }

    MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the event channel was destroyed");
        }
        return pointer;
    }

    void add(ConnectionId id) {
        ids.put(id.address(), id);
    }

    /** Removes only this identifier: its memory may already belong to another one, which came with an event. */
    void remove(ConnectionId id) {
        ids.remove(id.address(), id);
    }

    /**
     * Waits for the next event.
     *
     * @param timeoutMillis -1 to wait for ever
     * @return null if the time is over
     */
    @Override
    public @Nullable ConnectionEvent getCmEvent(int timeoutMillis) throws IOException {
        MemorySegment channel = pointer();
        if (!Readiness.await(getFd(), timeoutMillis)) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(ADDRESS);
            library.getEvent.check(channel, place);
            MemorySegment struct = place.get(ADDRESS, 0).reinterpret(ConnectionEvent.LAYOUT.byteSize());
            try {
                return copy(struct);
            } finally {
                library.acknowledgeEvent.check(struct);
            }
        }
    }

    private ConnectionEvent copy(MemorySegment struct) throws IOException {
        MemorySegment id = struct.get(ADDRESS, ConnectionEvent.ID);
        if (struct.get(JAVA_INT, ConnectionEvent.EVENT) == CONNECT_REQUEST) {
            add(new ConnectionId(this, id));
        }
        MemorySegment listening = struct.get(ADDRESS, ConnectionEvent.LISTENING_ID);
        return new ConnectionEvent(struct, ids.get(listening.address()), ids.get(id.address()));
    }

    /** Destroys the channel. Its identifiers must have been destroyed. */
    @Override
    public int destroyEventChannel() throws IOException {
        library.destroyEventChannel.run(pointer());
        close();
        return 0;
    }
}
