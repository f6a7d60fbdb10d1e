package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.world.Participant;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrationTest {

    /** If leases were alike, the one in doubt that one thread undoes could be the one that another has by then. */
    @Test
    void leasesOfTwoHandlesOfAMapDiffer(@TempDir Path folder) {
        try (var worlds = new Worlds(folder, 1)) {
            Participant self = worlds.rank(0).participant();
            assertThat(new Migration(self).attempt()).isNotEqualTo(new Migration(self).attempt());
        }
    }
}
