package io.atoll.app.job;

import io.atoll.Fabrics;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.verbs.Verbs;
import java.nio.file.Path;

/** How the ranks of a job reach each other's memory. */
public enum JobFabric {
    SHARED_MEMORY("shared-memory"), TCP("tcp"), VERBS("verbs");

    private final String option;

    JobFabric(String option) {
        this.option = option;
    }

    /** @param folder where the segments lie */
    FabricType in(Path folder) {
        FabricType segments = Fabrics.sharedMemory(folder, false);
        return switch (this) {
            case SHARED_MEMORY -> segments;
            case TCP -> new Tcp(segments).withoutSharedMemory();
            case VERBS -> new Verbs(segments);
        };
    }

    /** As users choose it. */
    @Override
    public String toString() {
        return option;
    }
}
