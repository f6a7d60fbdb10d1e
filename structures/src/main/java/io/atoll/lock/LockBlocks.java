package io.atoll.lock;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.StructureName;
import io.atoll.memory.Layouts;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Finds a table of locks by its name, or creates it.
 *
 * @param configuration the configuration on which all ranks that open the table agree
 */
record LockBlocks(String name, String configuration, TableLayout layout) {

    /** The first word of each configuration. */
    static final String KIND = "lock-table";

    private static final long LINES_AT_ONCE = 1024;

    Parts open(Participant self) {
        long[] blocks = self.directory()
                .open(name, configuration, _ -> layout.bytes(), OnLoss.FAIL,
                        new Replacement(_ -> true, this::begin));
        return Parts.of(self.endpoint(), blocks, Arrays.stream(blocks).map(this::requests).toArray(),
                self.directory().births());
    }

    /**
     * Returns the parts with a new part of a rank that has lost its own. Cost: as
     * {@link io.atoll.world.Directory#replace}, and R.
     */
    Parts replace(Parts parts, Participant latest, int rank) {
        long block = latest.directory().replace(rank, name, configuration, layout.bytes(), this::begin);
        return parts.with(rank, block, requests(block));
    }

    /** Registers the parts by the table's name, so that failures of verbs to them name the table. */
    void name(Endpoint endpoint, Parts parts) {
        int ranks = parts.ranks();
        endpoint.structures()
                .opened(new StructureName(name, KIND),
                        IntStream.range(0, ranks).mapToLong(parts::lines).toArray(),
                        IntStream.range(0, ranks)
                                .mapToLong(rank -> parts.contains(rank) ? layout.bytes() : 0)
                                .toArray());
    }

    private long requests(long block) {
        return block + layout.requests();
    }

    /**
     * Makes each lock look as if a holder had died. So its first holder is told that what the lock guards may have been
     * left half-done.
     */
    private void begin(Endpoint endpoint, int rank, long block) {
        long bytes = layout.lineBytes();
        MemorySegment lines = MemorySegment
                .ofArray(new long[(int) (Math.min(bytes, LINES_AT_ONCE * LockLine.SIZE) / Layouts.WORD)]);
        for (long line = 0; line < lines.byteSize(); line += LockLine.SIZE) {
            lines.set(ValueLayout.JAVA_LONG, line + LockLine.RECOVERIES, 1);
        }
        for (long offset = 0; offset < bytes; offset += lines.byteSize()) {
            endpoint.write(rank, block + offset, lines, 0, Math.min(lines.byteSize(), bytes - offset));
        }
    }
}
