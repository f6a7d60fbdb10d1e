package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvMr;
import io.atoll.disni.MemoryRegion;
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
 * Memory of this process that verbs move words to and from. It is given back when its user closes it or is no longer
 * reachable. A thread that has ended is not reachable. It is never given back before everything that uses it has
 * completed.
 */
final class RegisteredMemory {

    /** All memory that is registered with one device. */
    public static final class Pool implements AutoCloseable {

        private static final Cleaner CLEANER = Cleaner.create();

        private final Device device;
        private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();
        private boolean closed; // guarded by this

        public Pool(Device device) {
            this.device = device;
        }

        /**
         * Registers memory, and gives it back once the user is no longer reachable.
         *
         * @param user must not be reachable from {@code settling}
         * @param settling actions that return when nothing uses the memory any more
         */
        public RegisteredMemory allocate(Object user, long bytes, Runnable... settling) {
            MemorySegment memory = Arena.ofAuto().allocate(bytes, Layouts.CACHE_LINE);
            Registration registration = register(memory, List.of(settling));
            return new RegisteredMemory(memory, registration.region().getLkey(), CLEANER.register(user, registration));
        }

        private synchronized Registration register(MemorySegment memory, List<Runnable> settling) {
            if (closed) {
                throw new IllegalStateException("the device is about to be closed: closed=true");
            }
            try {
                Registration registration = new Registration(this,
                        device.register(memory, IbvMr.IBV_ACCESS_LOCAL_WRITE), settling);
                registrations.add(registration);
                return registration;
            } catch (IOException failure) {
                throw new UncheckedIOException("no memory for verbs: bytes=" + memory.byteSize(), failure);
            }
        }

        /** Gives back all memory. Every lane must be closed. */
        @Override
        public void close() {
            synchronized (this) {
                closed = true;
            }
            registrations.forEach(Registration::deregister);
        }
    }

    private record Registration(Pool pool, MemoryRegion region, List<Runnable> settling) implements Runnable {

        @Override
        public void run() {
            settling.forEach(Runnable::run);
            deregister();
        }

        /**
         * Gives the memory back. Two threads may call this: the cleaner's, and the one that closes the pool. The first
         * gives the memory back, the other waits until that is done.
         */
        private synchronized void deregister() {
            if (!region.isOpen()) {
                return;
            }
            try {
                region.deregister();
                pool.registrations.remove(this);
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

    /** Returns the key by which the device knows the memory. */
    public int key() {
        return key;
    }

    public void close() {
        cleanable.clean();
    }
}
