package io.atoll;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** As on hosts of their own, which only a membership tells of. */
@Timeout(600)
@Tag("processes")
class LostSegmentOfMembersTest extends LostSegmentTest {

    @Override
    Hosts hosts(Path folder) {
        return Hosts.ofMembers(folder);
    }
}
