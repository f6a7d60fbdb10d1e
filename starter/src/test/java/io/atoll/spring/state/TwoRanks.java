package io.atoll.spring.state;

import io.atoll.Fabrics;
import io.atoll.World;
import java.nio.file.Path;

/** A world of two ranks on shared memory. Both ranks keep their histories. */
public final class TwoRanks {

    private TwoRanks() {}

    public static World open(Path folder, int rank) {
        return World.named("shop")
                .size(2)
                .rank(rank)
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .history(true)
                .open();
    }
}
