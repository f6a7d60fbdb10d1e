package io.atoll;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Like its superclass, as on hosts of their own, which only a membership knows. */
@Timeout(600)
@Tag("processes")
class LostSegmentOfMembersTest extends LostSegmentTest {

    @Override
    Hosts hosts(Path folder) {
        return Hosts.ofMembers(folder);
    }
}
