package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.process.ChildProcess;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests ranks that know of each other only by a list of addresses, as on separate hosts. Their segments lie in
 * different folders, so no rank sees a lock or header of another one. Rank 1 is a process that can be killed.
 */
@NeedsRdmaDevice
@Timeout(600)
class RdmaAddressesTest {

    private static final int SIZE = 2;
    private static final int FIRST_PORT = 18_515;
    private static final int KEYS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    @TempDir
    private Path hosts;

    private final List<String> addresses = IntStream.range(0, SIZE)
            .mapToObj(rank -> RdmaDevice.address().getHostAddress() + ":" + (FIRST_PORT + rank))
            .toList();
    private World world;
    private ChildProcess other;

    @BeforeEach
    void join() throws Exception {
        other = ChildProcess.start(RdmaRank.class); // starts meanwhile
        world = RdmaRank.open(host(0), SIZE, 0, addresses);
        openOther();
    }

    private Path host(int rank) throws IOException {
        return Files.createDirectories(hosts.resolve("host" + rank));
    }

    private void openOther() throws Exception {
        other.tell("open " + host(1) + " " + SIZE + " 1 " + String.join(" ", addresses))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        world.peers().awaitAll(PATIENCE);
    }

    @AfterEach
    void leave() {
        other.close();
        if (world != null) {
            world.close();
        }
    }

    @Test
    void ranksOfTheListShareStructures() throws Exception {
        CompletableFuture<String> there = other.tell("use " + StructureUse.LONG_MAP);
        StructureUse.LONG_MAP.of(world);
        world.barrier();
        assertThat(there.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("used");
    }

    @Test
    void aRankThatIsKilledIsSilentAndNothingOfItIsRepairedUntilItIsStartedAgain() throws Exception {
        LongLongMap counts = world.longMap("counts").capacity(1_000).open();
        for (long key = 1; key <= KEYS; key++) {
            counts.addAndGet(key, key);
        }

        other.kill();
        await().atMost(PATIENCE).until(() -> peer().refusal() != null);

        assertThat(peer().refusal()).contains("does not answer", "nothing of it is repaired");
        assertThat(peer().status()).isEqualTo(PeerStatus.JOINED);
        assertThat(world.peers().isFenced(1, 1, 0)).isFalse();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> sum(counts))
                .satisfies(failure -> assertThat(failure.rank()).isEqualTo(1));

        other = ChildProcess.start(RdmaRank.class);
        openOther();
        await().atMost(PATIENCE).until(() -> peer().incarnation() == 2);

        assertThat(peer().refusal()).isNull();
        assertThat(world.peers().isFenced(1, 1, 0)).as("who has been started again has ended before").isTrue();
        assertThat(sum(counts)).isEqualTo(KEYS * (KEYS + 1) / 2);
    }

    private Peer peer() {
        return world.peers().snapshot().get(1);
    }

    private static long sum(LongLongMap map) {
        long sum = 0;
        for (long key = 1; key <= KEYS; key++) {
            sum += map.getOrDefault(key, 0);
        }
        return sum;
    }
}
