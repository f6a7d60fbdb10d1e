package io.atoll;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.trace.Delay;
import io.atoll.process.OwnedFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Two ranks over shared memory in one process. A benchmark measures at rank 0. Rank 1 offers its segment, and does
 * nothing unless the benchmark uses it.
 */
public final class MeasuredWorld implements AutoCloseable {

    private static final int RANKS = 2;

    private final OwnedFolder folder;
    private final List<World> ranks;

    public MeasuredWorld(long segmentBytes) throws IOException {
        this(segmentBytes, 0);
    }

    /**
     * @param segmentBytes the size of each rank's segment
     * @param delayNanos what is added to each round trip
     */
    public MeasuredWorld(long segmentBytes, long delayNanos) throws IOException {
        folder = OwnedFolder.create(Path.of("/dev/shm"), "atoll-jmh-");
        ranks = IntStream.range(0, RANKS)
                .mapToObj(rank -> World.named("measured")
                        .size(RANKS)
                        .rank(rank)
                        .fabric(Fabrics.delayed(Fabrics.sharedMemory(folder.path(), false), new Delay(delayNanos, 0)))
                        .segment(segmentBytes)
                        .open())
                .toList();
    }

    public World rank(int rank) {
        return ranks.get(rank);
    }

    public Endpoint endpoint() {
        return rank(0).participant().endpoint();
    }

    /** Returns the offset of a zeroed block in each rank's segment. */
    public long[] block(String name, long bytes) {
        return rank(0).participant().directory().open(name, name, _ -> bytes);
    }

    @Override
    public void close() throws IOException {
        ranks.forEach(World::close);
        folder.close();
    }
}
