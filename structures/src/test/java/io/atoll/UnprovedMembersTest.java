package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two ranks, as on hosts of their own, that share a secret. Their membership lets in every member, which may claim to
 * be one of them.
 */
@Timeout(180)
@Tag("slow")
class UnprovedMembersTest {

    private static final WorldIdentity WORLD = new WorldIdentity("unproved-members", 2);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Security SECRET = Security.secret(Secret.of("a secret that the ranks of this world know"));

    @TempDir
    private Path folder;

    private final OpenRoster roster = new OpenRoster();
    private final List<World> worlds = new ArrayList<>();
    // The segments by rank.
    private final Map<Integer, LocalMemory> segments = new ConcurrentHashMap<>();

    /** Shows the segments of the ranks to the test. */
    private final class Shown implements FabricType {

        private final FabricType fabric;

        private Shown(FabricType fabric) {
            this.fabric = fabric;
        }

        @Override
        public String name() {
            return fabric.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            Attachment attached = fabric.attach(world, rank, segmentBytes);
            segments.put(attached.fabric().rank(), attached.fabric().local());
            return attached;
        }
    }

    private World open(int rank, Security security) throws IOException {
        Path host = Files.createDirectories(folder.resolve("host-" + rank));
        World world = World.named(WORLD.name())
                .size(WORLD.size())
                .rank(rank)
                .segment(4 << 20)
                .fabric(new Shown(new Tcp(Fabrics.sharedMemory(host, true)).security(security)))
                .membership(roster.membership())
                .open();
        worlds.add(world);
        return world;
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static Peer seen(World by, int rank) {
        return by.peers().snapshot().get(rank);
    }

    /** Returns two words in the segment of rank 0: which rank 1 was met, and which was shut out. */
    private List<Long> noted() {
        LocalMemory segment = segments.get(0);
        return List.of((long) SegmentHeader.remembered(segment, 1),
                segment.getAcquire(SegmentHeader.fencedWord(1)));
    }

    private static Member claiming(int incarnation, Map<String, String> address) {
        return new Member(WORLD, 1, incarnation, address);
    }

    private static Map<String, String> address(int port) {
        return Map.of("tcp.host", "127.0.0.1", "tcp.port", String.valueOf(port));
    }

    private static int closedPort() throws IOException {
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return port.getLocalPort();
        }
    }

    private void isMissingForTheReason(World zero, String reason) {
        await().atMost(SOON).until(() -> String.valueOf(seen(zero, 1).refusal()).contains(reason));
        assertThat(seen(zero, 1).status()).isEqualTo(PeerStatus.MISSING);
        assertThat(noted()).containsExactly(0L, 0L);
    }

    private void reachEachOther(World zero, World one) throws InterruptedException {
        zero.peers().awaitAll(SOON);
        one.peers().awaitAll(SOON);
        assertThat(seen(zero, 1).incarnation()).isEqualTo(one.incarnation());
        assertThat(zero.participant().endpoint().fabric().readWord(1, SegmentHeader.incarnationWord()))
                .isEqualTo(one.incarnation());
        assertThat(one.participant().endpoint().fabric().readWord(0, SegmentHeader.incarnationWord()))
                .isEqualTo(zero.incarnation());
    }

    @Test
    void aStrangerThatClaimsARankLeavesNoTraceAndTheRankJoinsAfterwards() throws Exception {
        World zero = open(0, SECRET);
        roster.enter(claiming(Integer.MAX_VALUE, address(closedPort())));
        isMissingForTheReason(zero, "cannot connect, see whether the rank runs");

        World one = open(1, SECRET);

        reachEachOther(zero, one);
        assertThat(noted()).containsExactly(1L, 0L);
    }

    @Test
    void aStrangerThatNamesTheAddressOfAnotherRankIsNotBelieved() throws Exception {
        World zero = open(0, SECRET);
        roster.enter(claiming(Integer.MAX_VALUE, roster.members().getFirst().address()));

        isMissingForTheReason(zero, "another rank listens there");
    }

    @Test
    void aClaimWithoutAMeaningIsToldAndKeepsNobodyOut() throws Exception {
        World zero = open(0, SECRET);
        roster.enter(claiming(1, Map.of("tcp.host", "127.0.0.1", "tcp.port", "none")));
        isMissingForTheReason(zero, "tells a port that is none");

        reachEachOther(zero, open(1, SECRET));
    }

    @Test
    void aStrangerEndsNoRankThatHasProvedItself() throws Exception {
        World zero = open(0, SECRET);
        World one = open(1, SECRET);
        reachEachOther(zero, one);
        roster.enterFirst(claiming(Integer.MAX_VALUE, roster.members().getLast().address()));
        int before = roster.looks();
        await().atMost(SOON).until(() -> roster.looks() > before + 40);

        reachEachOther(zero, one);
        assertThat(noted()).containsExactly(1L, 0L);
    }

    @Test
    void aRankThatKnowsAnotherSecretIsNotJoinedAndTheReasonIsTold() throws Exception {
        World zero = open(0, SECRET);
        open(1, Security.secret(Secret.of("a secret that another world's ranks know")));

        isMissingForTheReason(zero, "do not know the same secret");
    }

    /** The notes of a former process of this rank do not prove the other rank's end. */
    @Test
    void aRankThatIsStartedAgainShutsOutNobodyBeforeTheyHaveProvedThemselves() throws Exception {
        World one = open(1, SECRET);
        for (int start = 1; start <= 3; start++) {
            World zero = open(0, SECRET);
            reachEachOther(zero, one);
            assertThat(noted()).as("start %d", start).containsExactly(1L, 0L);
            zero.close();
            worlds.remove(zero);
        }
    }

    @Test
    void aRankThatIsStartedAgainProvesItselfAnew() throws Exception {
        World zero = open(0, SECRET);
        World one = open(1, SECRET);
        reachEachOther(zero, one);
        one.close();
        worlds.remove(one);
        await().atMost(SOON).until(() -> seen(zero, 1).status() == PeerStatus.LOST);

        reachEachOther(zero, open(1, SECRET));
        assertThat(noted()).containsExactly(2L, 1L);
    }

    /** Without a secret a member proves nothing, but it tells which segment it has. */
    @Test
    void withoutASecretWhoeverIsClaimedIsAskedToo() throws Exception {
        World zero = open(0, Security.none());
        roster.enter(claiming(7, address(closedPort())));
        isMissingForTheReason(zero, "cannot connect, see whether the rank runs");

        World one = open(1, Security.none());

        reachEachOther(zero, one);
        assertThat(seen(zero, 1).born()).isEqualTo(1);
    }
}
