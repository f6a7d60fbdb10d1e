package io.atoll.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.recording.Journal;
import io.atoll.state.SegmentState.Block;
import io.atoll.world.Peers.Standing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObservatoryTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final long SEGMENT_BYTES = 4 << 20;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int rank) {
        World world = World.named("shop")
                .size(3)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        worlds.add(world);
        return world;
    }

    private static void awaitJoined(Observatory observatory, int ranks) {
        await().atMost(SOON).until(() -> observatory.world().joined() == ranks);
    }

    @Test
    void aRankAloneSeesItselfAndWhomItMisses() {
        Observatory observatory = new Observatory(open(1));
        assertThat(observatory.world()).isEqualTo(new WorldState("shop", 3, 1, 1, false, 1, List.of(0, 2), List.of(), 0,
                0, 0, List.of(), null));
        AtollState all = observatory.all();
        assertThat(all.segments()).extracting(SegmentState::standing)
                .containsExactly(Standing.MISSING, Standing.JOINED, Standing.MISSING);
        assertThat(all.segments()).extracting(SegmentState::incarnation).containsExactly(0, 1, 0);
        assertThat(all.segments().get(0).usage()).isNull();
        assertThat(all.segments().get(1).usage()).isNotNull();
        assertThat(all.structures()).isEmpty();
    }

    @Test
    void everyRankSeesTheSegmentsAndStructuresOfAll() {
        World first = open(0);
        Observatory second = new Observatory(open(1));
        open(2);
        first.longMap("hits").capacity(100).open();
        first.filter("seen", String.class).expectedElements(1000).open();
        awaitJoined(second, 3);
        AtollState all = second.all();
        assertThat(all.world().whole()).isTrue();
        assertThat(all.structures()).extracting(StructureState::name).containsExactly("hits", "seen");
        StructureState hits = all.structures().getFirst();
        assertThat(hits.kind()).isEqualTo("long-map");
        assertThat(hits.configuration()).isEqualTo("long-map capacity=100");
        assertThat(all.segments()).hasSize(3).allSatisfy(segment -> {
            assertThat(segment.bytes()).isEqualTo(SEGMENT_BYTES);
            assertThat(segment.blocks()).extracting(Block::structure).containsExactlyInAnyOrder("hits", "seen");
            assertThat(segment.usage()).isNotNull();
            assertThat(segment.usage().ownedBytes()).isGreaterThanOrEqualTo(hits.bytes());
        });
        assertThat(all.fabric().type()).isEqualTo("shared-memory");
        assertThat(all.fabric().atomicDomain()).isEqualTo(AtomicDomain.COHERENT_WITH_CPU);
    }

    @Test
    void aRankThatIsLostIsSeenToBe() {
        Observatory observatory = new Observatory(open(0));
        open(1);
        open(2);
        awaitJoined(observatory, 3);
        worlds.removeLast().close();
        awaitJoined(observatory, 2);
        WorldState world = observatory.world();
        assertThat(world.lost()).containsExactly(2);
        assertThat(world.missing()).isEmpty();
        assertThat(world.whole()).isFalse();
        assertThat(world.joins()).isEqualTo(2);
        assertThat(world.losses()).isOne();
        assertThat(observatory.segment(2).usage()).isNull();
    }

    @Test
    void whoWaitsForWhomIsSeen() throws Exception {
        World first = open(0);
        open(1);
        open(2);
        Observatory observatory = new Observatory(first);
        awaitJoined(observatory, 3);
        Thread waiting = Thread.ofPlatform().name("checkout").start(() -> {
            try {
                first.barrier();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(observatory.world().waits()).singleElement().satisfies(wait -> {
                    assertThat(wait.thread()).isEqualTo("checkout");
                    assertThat(wait.doing()).contains("barrier");
                    assertThat(wait.rank()).isIn(1, 2);
                }));
        waiting.interrupt();
        waiting.join();
        assertThat(observatory.world().waits()).isEmpty();
    }

    @Test
    void whoLooksAgainAtOnceReadsNothing() {
        World first = open(0);
        open(1);
        open(2);
        Observatory observatory = new Observatory(first);
        awaitJoined(observatory, 3);
        assertThat(first.explain(() -> observatory.segment(1)).reads()).isPositive();
        Journal again = first.explain(() -> observatory.segment(1));
        assertThat(again.verbs()).isEmpty();
    }
}
