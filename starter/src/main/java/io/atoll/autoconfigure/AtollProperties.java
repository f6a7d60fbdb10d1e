package io.atoll.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What this process takes part in.
 *
 * @param enabled Whether the application takes part in a world.
 */
@ConfigurationProperties("atoll")
public record AtollProperties(@DefaultValue("true") boolean enabled, @DefaultValue WorldSettings world,
        @DefaultValue FabricSettings fabric, @DefaultValue SegmentSettings segment) {

    /**
     * @param name Name of the world, the same at all its processes. By default 'spring.application.name', else 'atoll'.
     * @param size How many ranks, that is processes, the world has.
     * @param rank Which rank this process is, from 0. By default the pod's ordinal, SLURM_PROCID, PMI_RANK, or the first
     * rank that is free on this host.
     * @param joinTimeout How long the first use of a structure waits for missing ranks.
     * @param operationTimeout How long an operation waits for another rank that is in the middle of one, lives, and does
     * not go on.
     */
    public record WorldSettings(@Nullable String name, @DefaultValue("1") int size, @Nullable Integer rank,
            @DefaultValue("30s") Duration joinTimeout, @DefaultValue("10s") Duration operationTimeout) {}

    /** @param type How ranks reach each other's memory. */
    public record FabricSettings(@DefaultValue("shared-memory") String type,
            @DefaultValue SharedMemorySettings sharedMemory) {}

    /**
     * @param folder Where the segments' files lie; must be memory to be fast.
     * @param retain Whether the files outlive the last process, so that a later one finds the data.
     */
    public record SharedMemorySettings(@DefaultValue("/dev/shm") Path folder, @DefaultValue("false") boolean retain) {}

    /** @param size Memory that this rank offers, the same at every rank; whole pages of 4 KiB. */
    public record SegmentSettings(@DefaultValue("64MB") DataSize size) {}
}
