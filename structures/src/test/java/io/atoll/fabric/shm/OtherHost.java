package io.atoll.fabric.shm;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** Shared memory as of another host, whose kernel has another boot id, and which has the folder by its network. */
public record OtherHost(SharedMemory memory) implements FabricType {

    private static final String BOOT_ID = "00000000-0000-4000-8000-000000000001";

    @Override
    public String name() {
        return memory.name();
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        return SharedMemoryAttachment.open(memory, world, rank, segmentBytes, bootId());
    }

    private Path bootId() {
        try {
            return Files.writeString(memory.folder().resolve("boot-id"), BOOT_ID + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
