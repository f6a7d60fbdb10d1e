package io.atoll.fabric.shm;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Shared memory of one host. Each rank has a file {@code atoll-WORLD-RANK.segment}, readable by its user only, that
 * every rank of the world maps. Beside it lies a file {@code .lock} that the rank's process holds locked while it
 * lives.
 *
 * <p>A world of one rank has such files only if the settings ask for them: by a folder of its own, or by retaining
 * them. Otherwise its segment is memory of its process, and ends with it. Several processes of a host may then have
 * worlds of the same name that share nothing. All but the first log a warning.
 *
 * @param folder where the files lie; must be memory, not disk, to be fast. A rank of another host that has the folder
 * by a network file system cannot be reached by it
 * @param retain true if the files outlive the last process, so that a later one finds the data
 */
public record SharedMemory(Path folder, boolean retain) implements FabricType {

    public static final Path DEFAULT_FOLDER = Path.of("/dev/shm");

    public SharedMemory() {
        this(DEFAULT_FOLDER, false);
    }

    @Override
    public String name() {
        return "shared-memory";
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        if (segmentBytes <= 0 || segmentBytes % SegmentFile.PAGE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "a segment has whole pages of " + SegmentFile.PAGE_BYTES + " bytes: segmentBytes=" + segmentBytes);
        }
        rank.ifPresent(world::checkRank);
        return world.size() > 1 || isToldToUseFiles()
                ? SharedMemoryAttachment.open(this, world, rank, segmentBytes, Kernel.BOOT_ID)
                : new SingleRankAttachment(world, segmentBytes, new WorldFiles(folder, world.name()));
    }

    private boolean isToldToUseFiles() {
        return retain || !folder.equals(DEFAULT_FOLDER);
    }
}
