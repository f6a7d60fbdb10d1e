package io.atoll.fabric.verbs;

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
final class RegisteredMemory {

    /** All that one device has registered. */
    static final class Pool implements AutoCloseable {

        private static final Cleaner CLEANER = Cleaner.create();

        private final Device device;
        private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();

        Pool(Device device) {
            this.device = device;
        }

        /** @param user who is watched for being reachable; must not be reachable from what is pending */
        RegisteredMemory allocate(Object user, long bytes, Pending... pending) {
            MemorySegment memory = Arena.ofAuto().allocate(bytes, Layouts.CACHE_LINE);
            try {
                MemoryRegion region = device.register(memory, IbvMr.IBV_ACCESS_LOCAL_WRITE);
                Registration registration = new Registration(this, region, List.of(pending));
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

    private record Registration(Pool pool, MemoryRegion region, List<Pending> pending) implements Runnable {

        @Override
        public void run() {
            pending.forEach(Pending::settle);
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

    MemorySegment bytes() {
        return bytes;
    }

    /** By which the device knows it. */
    int key() {
        return key;
    }

    void close() {
        cleanable.clean();
    }
}
