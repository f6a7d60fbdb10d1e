package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.FabricType;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rank does not answer any more, and no other rank can tell if it has ended. */
class WorldSilenceTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    private final Set<Integer> silent = ConcurrentHashMap.newKeySet();

    private World open(int rank, FabricType fabric) {
        return World.named("silence").size(2).rank(rank).segment(4 << 20).fabric(fabric).open();
    }

    @Test
    void aRankThatIsSilentStaysAndNothingOfItIsRepairedUntilItIsKnownToHaveEnded() throws Exception {
        FabricType segments = Fabrics.sharedMemory(folder, true);
        try (World world = open(0, new Muffled(segments, silent))) {
            try (World _ = open(1, segments)) {
                world.peers().awaitAll(SOON);
                silent.add(1);
            }
            await().atMost(SOON).until(() -> peer(world).refusal() != null);

            assertThat(peer(world).refusal()).contains("does not answer", "nothing of it is repaired");
            assertThat(peer(world).status()).isEqualTo(PeerStatus.JOINED);
            assertThat(world.peers().isFenced(1, 1, 0)).isFalse();

            silent.clear();
            await().atMost(SOON).until(() -> peer(world).status() == PeerStatus.LOST);
            assertThat(peer(world).refusal()).isNull();
            assertThat(world.peers().isFenced(1, 1, 0)).isTrue();
        }
    }

    @Test
    void aRankThatAnswersAgainIsUsedAsBefore() throws Exception {
        FabricType segments = Fabrics.sharedMemory(folder, false);
        try (World world = open(0, new Muffled(segments, silent)); World _ = open(1, segments)) {
            world.peers().awaitAll(SOON);
            silent.add(1);
            await().atMost(SOON).until(() -> peer(world).refusal() != null);
            silent.clear();
            await().atMost(SOON).until(() -> peer(world).refusal() == null);
            assertThat(peer(world)).isEqualTo(new Peer(1, PeerStatus.JOINED, 1, 1, null, 0));
            assertThat(world.peers().losses()).isZero();
        }
    }

    private static Peer peer(World world) {
        return world.peers().snapshot().get(1);
    }
}
