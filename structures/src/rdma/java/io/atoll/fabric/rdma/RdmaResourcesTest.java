package io.atoll.fabric.rdma;

import io.atoll.WorldResources;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that worlds whose ranks reach each other by RDMA free what they take: descriptors of devices and queues,
 * registered memory, threads.
 */
@NeedsRdmaDevice
@Timeout(400)
class RdmaResourcesTest {

    @Test
    void whatWorldsTakeTheyGiveBack(@TempDir Path folder) throws IOException {
        WorldResources.assertAreGivenBack(WorldResources.Kind.VERBS, folder);
    }
}
