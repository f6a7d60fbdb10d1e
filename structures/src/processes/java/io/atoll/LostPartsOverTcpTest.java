package io.atoll;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Like its superclass, as on hosts of their own, whose addresses are listed. */
@Timeout(600)
@Tag("processes")
class LostPartsOverTcpTest extends LostPartsTest {

    @Override
    Hosts hosts(Path folder) {
        return Hosts.listed(folder, RANKS);
    }
}
