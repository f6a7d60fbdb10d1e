package io.atoll.collective;

import io.atoll.collective.broadcast.Broadcaster.Polling;
import io.atoll.collective.model.Algorithm;
import io.atoll.collective.model.LogGP;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.Optional;

/**
 * How collectives work in this process, where they are told nothing else.
 *
 * @param polling how often it looks for what it has to pass on
 * @param costs by which algorithms are chosen, the same at every process; about what the fabric takes, unless told
 * @param algorithm by which it broadcasts; the one that should be faster, unless told
 * @param windowBytes of a window, the same at every process, a multiple of 8
 * @param roomBytes of what an exchange lays down at once, the same at every process, a multiple of 8
 */
public record CollectiveSettings(Polling polling, Optional<LogGP> costs, Optional<Algorithm> algorithm,
        long windowBytes, long roomBytes) {

    public static final CollectiveSettings DEFAULT = new CollectiveSettings(Polling.DEFAULT, Optional.empty(),
            Optional.empty(), 1 << 20, 16 << 10);

    /** @throws IllegalArgumentException if a size is none */
    public CollectiveSettings {
        requireWords(windowBytes, Long.MAX_VALUE, "windowBytes");
        requireWords(roomBytes, Batch.THREAD_BUFFER_BYTES, "roomBytes");
    }

    private static void requireWords(long bytes, long most, String name) {
        if (bytes < Layouts.WORD || bytes % Layouts.WORD != 0 || bytes > most) {
            throw new IllegalArgumentException("whole words, at most " + most + " bytes: " + name + '=' + bytes);
        }
    }
}
