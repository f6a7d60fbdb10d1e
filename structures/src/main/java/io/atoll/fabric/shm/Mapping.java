package io.atoll.fabric.shm;

import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.function.LongFunction;

/**
 * A segment's file in this process's memory.
 *
 * @param rank whose segment it is
 * @param identity tells the file from another that has its name at another time
 */
record Mapping(int rank, Object identity, MappedMemory memory, Arena arena) implements AutoCloseable {

    /** Maps the whole file. */
    static Mapping of(int rank, FileChannel channel, Object identity) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new Mapping(rank, identity,
                    new MappedMemory(channel.map(MapMode.READ_WRITE, 0, channel.size(), arena)), arena);
        } catch (IOException | RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    /**
     * Unmaps the file. Accesses under way in other threads end with an {@link IllegalStateException}, as do later ones.
     * Does nothing the second time.
     */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /**
     * As {@link #close}, with that failure.
     *
     * @param failure makes the failure from the offset of the access
     */
    public void close(LongFunction<RuntimeException> failure) {
        memory.refuseWith(failure);
        close();
    }
}
