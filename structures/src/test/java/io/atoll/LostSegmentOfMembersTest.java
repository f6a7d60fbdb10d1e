package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.world.Membership;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;

/** As on hosts of their own, which only a membership tells of: each process has another address. */
@Timeout(600)
class LostSegmentOfMembersTest extends LostSegmentTest {

    private final OpenRoster roster = new OpenRoster();

    @Override
    Path host(int rank) {
        return super.host(rank).resolve("host-" + rank);
    }

    @Override
    boolean areMapped() {
        return false;
    }

    @Override
    FabricType fabric(int rank) {
        return new Tcp(super.fabric(rank)).security(Security.none());
    }

    @Override
    Membership membership() {
        return roster.membership();
    }
}
