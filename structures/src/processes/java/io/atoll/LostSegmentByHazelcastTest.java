package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.world.OnLoss;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Ranks like pods that find each other by Hazelcast, and lose their memory whenever they are replaced. */
@Isolated
@Timeout(600)
@Tag("processes")
class LostSegmentByHazelcastTest {

    private static final int RANKS = 3;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private final List<World> worlds = new ArrayList<>();
    private int port;

    private World open(int rank) throws IOException {
        Path host = Files.createDirectories(folder.resolve("host-" + rank));
        return World.named("pods")
                .size(RANKS)
                .rank(rank)
                .segment(4 << 20)
                .fabric(new Tcp(Fabrics.sharedMemory(host, false)).security(Security.none()))
                .membership(new HazelcastMembership(HazelcastSettings.defaults().withPort(port)))
                .open();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private void awaitAll() {
        int[] incarnations = worlds.stream().mapToInt(World::incarnation).toArray();
        for (World world : worlds) {
            await().atMost(LONG_ENOUGH)
                    .untilAsserted(() -> assertThat(world.peers().incarnations()).containsExactly(incarnations));
        }
    }

    @Test
    void eachPodIsReplacedInTurnAndTheOthersGoOn() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = Math.min(socket.getLocalPort(), 60_000);
        }
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(open(rank));
        }
        awaitAll();
        for (int replaced : new int[]{2, 1, 0, 2}) {
            LongLongMap hits = worlds.get((replaced + 1) % RANKS).longMap("hits").onLoss(OnLoss.EMPTY).open();
            long key = LostSegmentTest.keyOf(hits, replaced);
            hits.addAndGet(key, 5);
            int before = worlds.get(replaced).incarnation();
            worlds.get(replaced).close();

            long beganNanos = System.nanoTime();
            worlds.set(replaced, open(replaced));
            long joinedNanos = System.nanoTime();

            assertThat(worlds.get(replaced).incarnation()).isGreaterThan(before);
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(LONG_ENOUGH)
                    .ignoreExceptionsInstanceOf(RankUnreachableException.class)
                    .until(() -> hits.getOrDefault(key, -1) == -1);
            System.out.printf("a pod joined in %d ms, and was used after %d ms%n",
                    Duration.ofNanos(joinedNanos - beganNanos).toMillis(),
                    Duration.ofNanos(System.nanoTime() - joinedNanos).toMillis());
            awaitAll();
        }
    }
}
