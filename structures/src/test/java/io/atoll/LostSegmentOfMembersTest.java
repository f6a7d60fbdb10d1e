package io.atoll;

import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;

/** Like its superclass, as on hosts of their own, which only a membership knows. */
@Timeout(600)
class LostSegmentOfMembersTest extends LostSegmentTest {

    @Override
    Hosts hosts(Path folder) {
        return Hosts.ofMembers(folder);
    }
}
