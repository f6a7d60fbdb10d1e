package io.atoll.fabric.verbs.device;

import com.ibm.disni.verbs.IbvMr;
import io.atoll.fabric.verbs.provider.resource.MemoryRegion;
import io.atoll.memory.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory of this process that verbs move words to and from. It is given back when its user closes it, or cannot be reached any more, as threads that have
 * ended; not before everything that uses it has completed.
 */
public final class RegisteredMemory {

    /** All that one device has registered. */
    public static final class Pool implements AutoCloseable {

        private static final Cleaner CLEANER = Cleaner.create();

        private final Device device;
        private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();

        public Pool(Device device) {
            this.device = device;
        }

        /**
         * @param user who is watched for being reachable
         * @param settling each returns when nothing uses the memory any more; the user must not be reachable from them
         */
        public RegisteredMemory allocate(Object user, long bytes, Runnable... settling) {
            MemorySegment memory = Arena.ofAuto().allocate(bytes, Layouts.CACHE_LINE);
            try {
                MemoryRegion region = device.register(memory, IbvMr.IBV_ACCESS_LOCAL_WRITE);
                Registration registration = new Registration(this, region, List.of(settling));
                registrations.add(registration);
                return new RegisteredMemory(memory, region.getLkey(), CLEANER.register(user, registration));
            } catch (IOException failure) {
                throw new UncheckedIOException("no memory for verbs: bytes=" + bytes, failure);
            }
        }

        /** Gives back all of it. Every lane must be closed. */
        @Override
        public void close() {
            registrations.forEach(Registration::deregister);
        }
    }

    private record Registration(Pool pool, MemoryRegion region, List<Runnable> settling) implements Runnable {

        @Override
        public void run() {
            settling.forEach(Runnable::run);
            deregister();
        }

        private void deregister() {
            if (!pool.registrations.remove(this)) {
                return; // by the other of the two who may
            }
            try {
                region.deregister();
            } catch (IOException failure) {
                throw new UncheckedIOException("memory cannot be given back by the device", failure);
            }
        }
    }

    private final MemorySegment bytes;
    private final int key;
    private final Cleaner.Cleanable cleanable;

    private RegisteredMemory(MemorySegment bytes, int key, Cleaner.Cleanable cleanable) {
        this.bytes = bytes;
        this.key = key;
        this.cleanable = cleanable;
    }

    public MemorySegment bytes() {
        return bytes;
    }

    /** By which the device knows it. */
    public int key() {
        return key;
    }

    public void close() {
        cleanable.clean();
    }
}
