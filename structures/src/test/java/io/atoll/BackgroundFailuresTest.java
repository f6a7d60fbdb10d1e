package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.background.BackgroundThread;
import io.atoll.collective.Algorithm;
import io.atoll.collective.Broadcast;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Verb;
import io.atoll.heap.MutatedFabric;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The background work of a world continues after the virtual machine has run out of memory for a while. Meanwhile the
 * world reports the failures.
 */
@Timeout(180)
class BackgroundFailuresTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();
    private volatile boolean memoryIsShort;

    @BeforeEach
    void join() {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("background")
                    .size(2)
                    .rank(rank)
                    .segment(4 << 20)
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .epochs(EpochSettings.DEFAULT.reclaimInterval(Duration.ofMillis(10))
                            .pinLimit(Duration.ofMillis(400)))
                    .membership(rank == 0 ? new Failing() : Membership.ofOneHost())
                    .open());
        }
    }

    @AfterEach
    void leave() {
        memoryIsShort = false;
        worlds.forEach(World::close);
    }

    private void failIfMemoryIsShort() {
        if (memoryIsShort && Thread.currentThread().getName().startsWith("atoll-")) {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    /** Fails when the watch over the ranks asks it. */
    private final class Failing implements Membership {

        @Override
        public void join(Member self, Runnable onChange) {}

        @Override
        public List<Member> members() {
            failIfMemoryIsShort();
            return List.of();
        }

        @Override
        public void close() {}
    }

    /** Lets every verb of background threads fail while memory is short. */
    private Fabric failing(Fabric fabric) {
        // It maps nothing, so everything goes through the verbs.
        return new MutatedFabric(fabric) {

            @Override
            protected long before(Verb verb, int target, long offset, long bytes) {
                failIfMemoryIsShort();
                return 0;
            }

            @Override
            public Batch batch() {
                failIfMemoryIsShort();
                return super.batch();
            }
        };
    }

    private static long advances(World world) {
        return world.epochs().snapshot().ranks().getFirst().advances();
    }

    /** The error is like that of a class that could not be initialized: it occurs each time. */
    @Test
    void anErrorAtEachTickKeepsTheWatchFromNothingElse() {
        World world = worlds.getFirst();
        AtomicInteger behind = new AtomicInteger();
        world.participant().onTick(() -> {
            throw new NoClassDefFoundError("Could not initialize class Repair");
        });
        world.participant().onTick(behind::incrementAndGet);
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(world.inspection().troubles()).extracting(BackgroundThread.Trouble::thread)
                                .containsExactly("atoll-peers-background"));
        await().atMost(SOON).until(() -> behind.get() > 1);
        worlds.removeLast().close();
        await().atMost(SOON).until(() -> world.peers().snapshot().getLast().status() == PeerStatus.LOST);
        assertThat(world.inspection().troubles()).isNotEmpty();
    }

    @Test
    void theWatchesReclamationAndBroadcastsGoOnAfterErrorsAndTheWorldTellsOfThem() throws Exception {
        World world = worlds.getFirst();
        world.participant().endpoint().replaceFabric(this::failing);
        world.epochs().tryReclaim();
        List<Broadcast> windows = worlds.stream()
                .map(each -> each.collectives().broadcast("window").bytes(64).algorithm(Algorithm.BINOMIAL).open())
                .toList();
        // Rank 0 has entered the window by now. A broadcast waits for a member that has not entered.
        windows.getLast().send(0, 8);
        windows.getLast().flush();
        assertThat(world.inspection().troubles()).isEmpty();

        memoryIsShort = true;
        long sent = windows.getLast().send(0, 8);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(world.inspection().troubles())
                        .extracting(BackgroundThread.Trouble::thread)
                        .containsExactlyInAnyOrder("atoll-peers-background", "atoll-broadcaster-background",
                                "atoll-epochs-0", "atoll-pins-0"));
        assertThat(world.inspection().troubles()).extracting(BackgroundThread.Trouble::problem)
                .containsOnly("its last step has failed: java.lang.OutOfMemoryError: Java heap space");
        assertThat(worlds.getLast().inspection().troubles()).isEmpty();

        memoryIsShort = false;
        await().atMost(SOON).until(() -> world.inspection().troubles().isEmpty());
        long advances = advances(world);
        await().atMost(SOON).until(() -> advances(world) > advances);
        windows.getLast().flush();
        assertThat(windows.getFirst().received(1)).isEqualTo(sent);
        worlds.removeLast().close();
        await().atMost(SOON).until(() -> world.peers().snapshot().getLast().status() == PeerStatus.LOST);
    }
}
