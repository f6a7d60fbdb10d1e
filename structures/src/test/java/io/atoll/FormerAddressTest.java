package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.tcp.Tcp;
import io.atoll.memory.SegmentHeader;
import io.atoll.world.Member;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file of a rank of this host shows its present life, while the membership still names its former one. */
@Timeout(180)
class FormerAddressTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final OpenRoster roster = new OpenRoster();

    private World open(int rank) {
        return World.named("former-address")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .fabric(new Tcp(Fabrics.sharedMemory(folder, true)).withoutSharedMemory())
                .membership(roster.membership())
                .open();
    }

    @Test
    void aRankThatIsBackIsReachedThoughTheMembershipStillNamesItsFormerLife() throws InterruptedException {
        try (World zero = open(0)) {
            List<Member> former;
            try (World one = open(1)) {
                zero.peers().awaitAll(SOON);
                one.peers().awaitAll(SOON);
                former = roster.members().stream().filter(member -> member.rank() == 1).toList();
            }
            await().atMost(SOON).until(() -> zero.peers().snapshot().get(1).status() == PeerStatus.LOST);
            former.forEach(roster::enterFirst);
            try (World one = open(1)) {
                zero.peers().awaitAll(SOON);
                assertThat(zero.participant().endpoint().fabric().readWord(1, SegmentHeader.incarnationWord()))
                        .isEqualTo(one.incarnation());
            }
        }
    }
}
