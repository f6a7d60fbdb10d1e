package io.atoll;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A process that opens and closes worlds over and over has in the end what it had before. */
@Tag("processes")
class WorldResourcesTest {

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "VERBS")
    void whatWorldsTakeTheyGiveBack(WorldResources.Kind kind, @TempDir Path folder) throws IOException {
        WorldResources.assertAreGivenBack(kind, folder);
    }
}
