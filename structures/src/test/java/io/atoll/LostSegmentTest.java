package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.array.LongArray;
import io.atoll.epoch.observation.EpochSnapshot;
import io.atoll.fabric.FabricType;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.LocalMemory;
import io.atoll.queue.LongCircularQueue;
import io.atoll.view.View;
import io.atoll.view.ViewStatus;
import io.atoll.world.Membership;
import io.atoll.world.directory.NamedStructure;
import io.atoll.world.directory.OnLoss;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that come back without their segments, while others go on: by shared memory here, otherwise in those who extend it. */
class LostSegmentTest extends LossyWorlds {

    static long keyOf(LongLongMap map, int owner) {
        return LongStream.range(0, 1_000).filter(key -> map.owner(key) == owner).findFirst().orElseThrow();
    }

    @Test
    void whatIsLostIsSaidToBeLostAndWhatIsNotIsThere() throws IOException {
        LongLongMap map = survivor().longMap("hits").open();
        LongStream.range(0, 1_000).forEach(key -> map.put(key, key + 1));
        World again = lose(2);

        assertThatExceptionOfType(SegmentLostException.class).isThrownBy(() -> map.put(keyOf(map, 2), 5))
                .satisfies(lost -> {
                    assertThat(lost.rank()).isEqualTo(2);
                    assertThat(lost.born()).isEqualTo(again.incarnation()).isEqualTo(2);
                    assertThat(lost.structure()).contains("hits");
                    assertThat(lost.kind()).contains("long-map");
                })
                .withMessageStartingWith("what lay in this rank's segment was lost with it, since the rank came back"
                        + " without its memory: use a structure of another name, or one that is opened with on-loss=empty: ");
        for (int owner = 0; owner < 2; owner++) {
            long key = keyOf(map, owner);
            assertThat(map.find(key, 0)).isEqualTo(key + 1);
            assertThat(map.increment(key, 1)).isEqualTo(key + 2);
        }
    }

    @Test
    void whatHasLostAPartIsOpenedByNobody() throws IOException {
        survivor().longMap("hits").open();
        survivor().longFilter("seen").open();
        survivor().longQueue("tasks").host(2).capacity(16).open();
        lose(2);
        for (World world : worlds) {
            assertThatThrownBy(() -> world.longMap("hits").open()).isInstanceOf(SegmentLostException.class);
            assertThatThrownBy(() -> world.longFilter("seen").open()).isInstanceOf(SegmentLostException.class);
        }
        assertThatThrownBy(() -> worlds.get(2).longQueue("tasks").host(2).capacity(16).open())
                .isInstanceOf(SegmentLostException.class);
    }

    @Test
    void newStructuresUseTheRankAgain() throws IOException {
        survivor().longMap("hits").open();
        lose(2);
        LongLongMap map = survivor().longMap("others").open();
        LongStream.range(0, 1_000).forEach(key -> map.put(key, key));
        for (World world : worlds) {
            assertThat(world.longMap("others").open().size()).isEqualTo(1_000);
        }
    }

    @Test
    void whoLooksOnSeesTheSegmentThatTheRankHasNow() throws IOException {
        Inspection inspection = survivor().inspection();
        survivor().longMap("hits").open();
        lose(2);
        assertThat(inspection.isMapped(2)).isEqualTo(areMapped());
        assertThat(inspection.heapUsage(2)).isPresent();
        assertThat(inspection.structures(2)).hasValueSatisfying(
                there -> assertThat(there).extracting(NamedStructure::name).doesNotContain("hits"));
    }

    @Test
    void whatBeginsEmptyGoesOnByTheSameObjects() throws IOException {
        LongLongMap longs = survivor().longMap("hits").onLoss(OnLoss.EMPTY).open();
        DistributedMap<Long, String> texts = survivor().map("texts", Long.class, String.class)
                .onLoss(OnLoss.EMPTY)
                .open();
        LongBloomFilter filter = survivor().longFilter("seen").onLoss(OnLoss.EMPTY).open();
        LongArray array = survivor().longArray("cells").length(300).onLoss(OnLoss.EMPTY).open();
        for (long key = 0; key < 300; key++) {
            longs.put(key, key);
            texts.put(key, "text " + key);
            filter.add(key);
            array.set(key, key + 1);
        }
        for (int turn = 0; turn < 3; turn++) {
            World again = lose(2);
            for (long key = 0; key < 300; key++) {
                boolean isLost = longs.owner(key) == 2;
                assertThat(longs.find(key, -1)).isEqualTo(isLost ? -1 : key);
                assertThat(array.get(key)).isEqualTo(key >= 200 ? 0 : key + 1);
            }
            assertThat(LongStream.range(0, 300).filter(filter::mightContain).count()).isBetween(100L, 299L);
            assertThat(LongStream.range(0, 300).filter(key -> texts.find(key) != null).count())
                    .isBetween(100L, 299L);
            LongLongMap there = again.longMap("hits").onLoss(OnLoss.EMPTY).open();
            LongArray thereToo = again.longArray("cells").length(300).onLoss(OnLoss.EMPTY).open();
            for (long key = 0; key < 300; key++) {
                longs.put(key, key);
                texts.put(key, "text " + key);
                filter.add(key);
                array.set(key, key + 1);
                survivor().participant().endpoint().flush();
                assertThat(there.find(key, -1)).isEqualTo(key);
                assertThat(thereToo.get(key)).isEqualTo(key + 1);
                assertThat(texts.find(key)).isEqualTo("text " + key);
                assertThat(filter.mightContain(key)).isTrue();
            }
        }
    }

    @Test
    void allMustAgreeWhatBecomesOfALoss() {
        survivor().longMap("hits").onLoss(OnLoss.EMPTY).open();
        assertThatThrownBy(() -> worlds.get(1).longMap("hits").open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("on-loss=empty");
    }

    @Test
    void ranksAreLostOneAfterTheOther() throws IOException {
        for (int rank : new int[]{2, 0, 1, 0, 2}) {
            World former = worlds.get((rank + 1) % RANKS);
            LongLongMap map = former.longMap("map before loss of " + rank + " in " + former.peers().losses())
                    .capacity(1_000)
                    .open();
            map.put(1, 2);
            lose(rank);
            String name = "map since loss of " + rank + " in " + former.peers().losses();
            LongStream.range(0, 300)
                    .forEach(key -> worlds.get((int) key % 3).longMap(name).capacity(1_000).open().put(key, key));
            for (World world : worlds) {
                assertThat(world.longMap(name).capacity(1_000).open().size()).isEqualTo(300);
            }
        }
    }

    @Test
    void twoRanksAreLostAtOnce() throws IOException {
        LongLongMap hits = survivor().longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        loseAll(1, 2);
        for (World world : worlds) {
            LongLongMap map = world.longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
            LongStream.range(0, 300)
                    .forEach(key -> assertThat(map.find(key, -1)).isEqualTo(map.owner(key) == 0 ? key : -1));
        }
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        assertThat(worlds.get(2).longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open().size()).isEqualTo(300);
    }

    @Test
    void oneIsLostWhileAnotherIsStartedAgain() throws IOException {
        LongLongMap hits = survivor().longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        worlds.get(1).close();
        end(2);
        begin(1);
        begin(2);
        awaitAll();
        for (World world : worlds) {
            LongLongMap map = world.longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
            LongStream.range(0, 300)
                    .forEach(key -> assertThat(map.find(key, -1)).isEqualTo(map.owner(key) == 2 ? -1 : key));
        }
    }

    @Test
    void barriersAndReductionsAreOfAllAgain() throws Exception {
        for (int rank : new int[]{2, 0}) {
            lose(rank);
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                List<Callable<Long>> programs = new ArrayList<>();
                for (World world : worlds) {
                    programs.add(() -> {
                        long[] sum = {world.rank() + 1};
                        world.barrier();
                        world.allReduce(sum, Long::sum);
                        return sum[0];
                    });
                }
                for (Future<Long> sum : threads.invokeAll(programs)) {
                    assertThat(sum.get()).isEqualTo(6);
                }
            }
        }
    }

    /** Its table is filled with a word that is in nobody's memory but by an operation on the lost one. */
    @Test
    void nothingIsWrittenIntoTheSegmentThatIsMadeAnew() throws Exception {
        long stray = 0x5AFE_0000_BAD0_0001L;
        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Long>> writers = new ArrayList<>();
            for (int turn = 0; turn < 4; turn++) {
                LongArray array = worlds.get(turn % 2).longArray("cells " + turn).length(30_000).open();
                writers.add(threads.submit(() -> writeUntil(isOver, array, stray)));
                LocalMemory memory = lose(2).participant().endpoint().fabric().local();
                for (int look = 0; look < 3; look++) {
                    assertThat(isIn(memory, stray)).as("turn=%d", turn).isFalse();
                }
            }
            isOver.set(true);
            for (Future<Long> writer : writers) {
                assertThat(writer.get()).as("writes that were refused since what they meant was lost").isPositive();
            }
        }
    }

    private static boolean isIn(LocalMemory memory, long word) {
        return LongStream.iterate(0, at -> at < SEGMENT_BYTES, at -> at + Long.BYTES)
                .anyMatch(at -> memory.getAcquire(at) == word);
    }

    private static long writeUntil(AtomicBoolean isOver, LongArray array, long word) {
        long refused = 0;
        for (long at = 0; !isOver.get(); at = (at + 1) % 10_000) {
            try {
                array.set(20_000 + at, word);
            } catch (SegmentLostException lost) {
                refused++;
            } catch (RankUnreachableException away) {
                // It ends, or begins.
                Thread.onSpinWait();
            }
        }
        return refused;
    }

    @Test
    void limboOfALostSegmentIsLostAndEpochsGoOn() throws IOException {
        for (int rank : new int[]{2, 0}) {
            DistributedMap<Long, String> texts = worlds.get(1)
                    .map("texts " + rank, Long.class, String.class)
                    .onLoss(OnLoss.EMPTY)
                    .open();
            replaceAll(texts, 50);
            World again = lose(rank);
            DistributedMap<Long, String> there = again.map("texts " + rank, Long.class, String.class)
                    .onLoss(OnLoss.EMPTY)
                    .open();
            for (int turn = 0; turn < 20; turn++) {
                replaceAll(texts, 20);
                replaceAll(there, 20);
                for (long key = 0; key < 100; key++) {
                    assertThat(texts.find(key)).isNotNull().isEqualTo(there.find(key));
                }
            }
            for (World world : worlds) {
                await().atMost(LONG_ENOUGH).untilAsserted(() -> {
                    world.epochs().tryReclaim();
                    EpochSnapshot.Rank own = world.epochs().snapshot().ranks().get(world.rank());
                    assertThat(own.retired() - own.freed() - own.lost()).as("in limbo: %s", own).isLessThan(200);
                });
            }
            assertThat(worlds.get(1).epochs().snapshot().ranks()).allSatisfy(
                    each -> assertThat(each.present()).isTrue());
        }
    }

    private static void replaceAll(DistributedMap<Long, String> texts, int times) {
        for (int turn = 0; turn < times; turn++) {
            for (long key = 0; key < 100; key++) {
                texts.put(key, "a text that is no longer than others: " + turn);
            }
        }
    }
}
