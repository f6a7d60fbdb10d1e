package io.atoll;

import io.atoll.codec.FixedHash;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Both ranks of a world over real shared memory, in one process. */
public abstract class TwoRanks {

    protected static final int RANKS = 2;

    protected final List<World> worlds = new ArrayList<>();

    private final long segmentBytes;

    @TempDir
    private Path folder;

    /** @param segmentBytes the size of each rank's segment */
    protected TwoRanks(long segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    @BeforeEach
    final void join() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(World.named("two")
                    .keySeed(FixedHash.SEED)
                    .size(RANKS)
                    .rank(rank)
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .segment(segmentBytes)
                    .open());
        }
    }

    @AfterEach
    final void leave() {
        worlds.forEach(World::close);
    }
}
