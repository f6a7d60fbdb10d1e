package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.link.Secret;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.memory.SegmentHeader;
import io.atoll.world.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stranger claims to be a rank of this host, in the same incarnation and at another address. */
@Timeout(180)
class ClaimedElsewhereTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final OpenRoster roster = new OpenRoster();

    private World open(int rank) {
        return World.named("claimed-elsewhere")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .fabric(new Tcp(Fabrics.sharedMemory(folder, true)).withoutSharedMemory()
                        .security(Security.secret(Secret.of("a secret that the stranger does not know"))))
                .membership(roster.membership())
                .open();
    }

    @Test
    void theRankIsReachedWhereItListens() throws InterruptedException {
        try (World one = open(1)) {
            Member known = roster.members().getFirst();
            Map<String, String> nowhere = Map.of("tcp.host", "127.0.0.1", "tcp.port", "1");
            roster.enterFirst(new Member(known.world(), known.rank(), known.incarnation(), nowhere));
            try (World zero = open(0)) {
                zero.peers().awaitAll(SOON);
                one.peers().awaitAll(SOON);
                assertThat(zero.participant().endpoint().fabric().readWord(1, SegmentHeader.incarnationWord()))
                        .isEqualTo(one.incarnation());
            }
        }
    }
}
