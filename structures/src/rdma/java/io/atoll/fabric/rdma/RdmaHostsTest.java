package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.memory.SegmentHeader;
import io.atoll.world.Peers.PeerStatus;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests ranks that know of each other only by the membership, as on separate hosts. Their segments lie in different
 * folders, so no rank sees a lock or header of another one.
 */
@NeedsRdmaDevice
@Timeout(300)
class RdmaHostsTest {

    private static final int SIZE = 3;
    private static final int PORT = 5731;
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int KEYS = 100;

    @TempDir
    private Path hosts;

    private final World[] worlds = new World[SIZE];

    @BeforeEach
    void join() throws Exception {
        for (int rank = 0; rank < SIZE; rank++) {
            worlds[rank] = open(rank);
        }
        for (World world : worlds) {
            world.peers().awaitAll(PATIENCE);
        }
    }

    private World open(int rank) throws IOException {
        Path host = Files.createDirectories(hosts.resolve("host" + rank));
        return World.named("verbs-hosts")
                .size(SIZE)
                .rank(rank)
                .segment(4 << 20)
                .joinTimeout(PATIENCE)
                .fabric(new Rdma(Fabrics.sharedMemory(host, true)))
                .membership(new HazelcastMembership(HazelcastSettings.defaults().withPort(PORT)))
                .open();
    }

    @AfterEach
    void leave() {
        for (World world : worlds) {
            world.close();
        }
    }

    private void awaitStanding(int observer, int rank, PeerStatus standing) {
        await().atMost(PATIENCE)
                .until(() -> worlds[observer].peers().snapshot().get(rank).status() == standing);
    }

    @Test
    void aRankThatLeavesIsShutOutOfEverySegmentByItsOwnerAndComesBackToItsData() throws Exception {
        LongLongMap counts = worlds[0].longMap("counts").capacity(1_000).open();
        for (long key = 1; key <= KEYS; key++) {
            counts.addAndGet(key, key);
        }
        assertThat(worlds[1].peers().isFenced(2, 1, 0)).isFalse();

        worlds[2].close();
        awaitStanding(0, 2, PeerStatus.LOST);
        awaitStanding(1, 2, PeerStatus.LOST);

        assertThat(worlds[0].peers().isFenced(2, 1, 0)).isTrue();
        assertThat(worlds[0].peers().isFenced(2, 1, 1)).as("asked of rank 1").isTrue();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> sum(counts))
                .satisfies(failure -> assertThat(failure.rank()).isEqualTo(2));

        worlds[2] = open(2);
        for (World world : worlds) {
            world.peers().awaitAll(PATIENCE);
        }
        assertThat(worlds[2].incarnation()).isEqualTo(2);
        assertThat(sum(counts)).isEqualTo(KEYS * (KEYS + 1) / 2);
        assertThat(sum(worlds[2].longMap("counts").capacity(1_000).open())).isEqualTo(KEYS * (KEYS + 1) / 2);
    }

    @Test
    void aRankThatComesBackWithoutItsSegmentIsTakenInByAHigherNumber() throws Exception {
        worlds[2].close();
        awaitStanding(0, 2, PeerStatus.LOST);
        awaitStanding(1, 2, PeerStatus.LOST);
        try (Stream<Path> files = Files.list(hosts.resolve("host2"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }

        worlds[2] = open(2);
        worlds[2].peers().awaitAll(PATIENCE);

        assertThat(worlds[2].incarnation()).isEqualTo(2);
        awaitStanding(0, 2, PeerStatus.JOINED);
        awaitStanding(1, 2, PeerStatus.JOINED);
        for (World world : worlds) {
            assertThat(world.participant().endpoint().readWord(2, SegmentHeader.bornWord())).isEqualTo(2);
        }
        assertThat(worlds[2].participant().endpoint().readWord(0, SegmentHeader.bornWord())).isEqualTo(1);
    }

    private static long sum(LongLongMap map) {
        long sum = 0;
        for (long key = 1; key <= KEYS; key++) {
            sum += map.getOrDefault(key, 0);
        }
        return sum;
    }
}
