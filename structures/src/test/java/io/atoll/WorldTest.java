package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.trace.Journal;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.SegmentLostException;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class WorldTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int SEGMENT_BYTES = 4 << 20;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private WorldBuilder world(int size) {
        return World.named("test").size(size).segment(SEGMENT_BYTES).fabric(Fabrics.sharedMemory(folder, false));
    }

    private List<World> open(int size) {
        for (int rank = 0; rank < size; rank++) {
            worlds.add(world(size).rank(rank).open());
        }
        return worlds;
    }

    private <T> List<T> onAllRanks(List<? extends Callable<T>> programs) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(programs)) {
                results.add(future.get());
            }
            return results;
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatOneRankInsertsAllOthersFind() {
        List<World> ranks = open(3);
        List<LongLongMap> maps = ranks.stream().map(world -> world.longMap("hits").capacity(10_000).open()).toList();
        for (long key = 0; key < 10_000; key++) {
            assertThat(maps.get((int) (key % 3)).putIfAbsent(key, key * 7)).isTrue();
        }
        for (LongLongMap map : maps) {
            for (long key = 0; key < 10_000; key++) {
                assertThat(map.getOrDefault(key, -1)).isEqualTo(key * 7);
            }
            assertThat(map.getOrDefault(10_000, -1)).isEqualTo(-1);
            assertThat(map.size()).isEqualTo(10_000);
        }
    }

    @Test
    void aWorldOfOneRankWorksInAFolderToo() throws IOException {
        World world = open(1).getFirst();
        LongLongMap map = world.longMap("hits").open();
        assertThat(map.addAndGet(1, 2)).isEqualTo(2);
        assertThat(map.addAndGet(1, 3)).isEqualTo(5);
        assertThat(files()).containsExactly("atoll-test-0.lock", "atoll-test-0.segment");
    }

    @Test
    void theLastRankToLeaveRemovesTheFiles() throws IOException {
        open(2);
        assertThat(files()).containsExactly("atoll-test-0.lock", "atoll-test-0.segment", "atoll-test-1.lock",
                "atoll-test-1.segment");
        worlds.getFirst().close();
        assertThat(files()).contains("atoll-test-0.segment", "atoll-test-1.segment");
        worlds.getLast().close();
        assertThat(files()).isEmpty();
    }

    @Test
    void anInterruptedThreadLeavesNoFileEither() throws Exception {
        for (int round = 0; round < 20; round++) {
            open(2);
            Thread.currentThread().interrupt();
            worlds.forEach(World::close);
            worlds.clear();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void whatAnotherUserHasPutBesideTheFilesIsLeftAlone() throws IOException {
        open(2);
        Path foreign = Files.createFile(folder.resolve("atoll-test-7.lock"));
        Assumptions.assumeTrue(isRoot(), "only root can give files away");
        Files.setAttribute(foreign, "unix:uid", 65_534);
        worlds.forEach(World::close);
        worlds.clear();
        assertThat(files()).containsExactly("atoll-test-7.lock");
    }

    private boolean isRoot() throws IOException {
        return Files.getAttribute(folder, "unix:uid").equals(0);
    }

    @Test
    void aSegmentThatWasMadeAnewIsNotTakenForTheOldOne() throws Exception {
        open(2);
        LongLongMap map = worlds.getFirst().longMap("hits").open();
        LongStream.range(0, 100).forEach(key -> map.putIfAbsent(key, key));
        worlds.getLast().close();
        Files.delete(folder.resolve("atoll-test-1.segment"));
        worlds.set(1, world(2).rank(1).open());
        await().until(() -> worlds.getFirst().peers().missing().isEmpty());
        assertThatThrownBy(map::size).isInstanceOfSatisfying(SegmentLostException.class, lost -> {
            assertThat(lost.rank()).isOne();
            assertThat(lost.born()).isEqualTo(2);
            assertThat(lost.structure()).contains("hits");
            assertThat(lost.kind()).contains("long-map");
        });
        long kept = LongStream.range(0, 100).filter(key -> map.owner(key) == 0).findFirst().orElseThrow();
        assertThat(map.getOrDefault(kept, -1)).as("what others have is there").isEqualTo(kept);
        for (World world : worlds) {
            assertThatThrownBy(() -> world.longMap("hits").open()).isInstanceOf(SegmentLostException.class);
        }
        worlds.getLast().longMap("others").open().put(1_000, 1);
        assertThat(worlds.getFirst().longMap("others").open().getOrDefault(1_000, 0)).isOne();
    }

    @Test
    void ranksThatLeaveTogetherLeaveNoFile() throws Exception {
        for (int round = 0; round < 20; round++) {
            open(3);
            onAllRanks(worlds.stream().map(world -> (Callable<Boolean>) () -> {
                world.close();
                return true;
            }).toList());
            worlds.clear();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void aRankThatIsTakenIsRefused() {
        open(2);
        assertThatThrownBy(() -> world(2).rank(1).open()).isInstanceOfSatisfying(JoinRefusedException.class,
                refused -> {
                    assertThat(refused.reason()).isEqualTo(Reason.RANK_TAKEN);
                    assertThat(refused).hasMessageContaining("rank=1");
                });
    }

    @Test
    void withoutARankTheFirstFreeOneIsTaken() {
        worlds.add(world(3).rank(1).open());
        worlds.add(world(3).open());
        worlds.add(world(3).open());
        assertThat(worlds).extracting(World::rank).containsExactly(1, 0, 2);
        assertThatThrownBy(() -> world(3).open()).isInstanceOf(JoinRefusedException.class)
                .hasMessageContaining("all ranks are taken");
    }

    @Test
    void missingRanksAreNamed() throws Exception {
        worlds.add(world(3).rank(1).joinTimeout(Duration.ofMillis(50)).open());
        assertThatThrownBy(() -> worlds.getFirst().longMap("hits").open())
                .isInstanceOfSatisfying(MissingRanksException.class,
                        missing -> assertThat(missing.missingRanks()).containsExactly(0, 2));
        assertThatThrownBy(() -> world(3).rank(0).join(Duration.ofMillis(50)))
                .isInstanceOf(MissingRanksException.class);
        assertThat(files()).as("of a rank that gave up").doesNotContain("atoll-test-0.lock.held");
    }

    @Test
    @Timeout(60)
    void whoHasJoinedDoesNotWaitForARankThatHasLeftSince() throws Exception {
        worlds.addAll(onAllRanks(Stream.of(0, 1)
                .map(rank -> (Callable<World>) () -> world(2).rank(rank)
                        .joinTimeout(ChronoUnit.FOREVER.getDuration())
                        .join(PATIENCE))
                .toList()));
        worlds.getLast().close();
        assertThatThrownBy(() -> {
            while (true) {
                // Waits until the other rank is seen to have left.
                worlds.getFirst().barrier();
            }
        }).isInstanceOfSatisfying(RankUnreachableException.class, lost -> assertThat(lost.rank()).isOne());
    }

    @Test
    void aRankThatTheWorldDoesNotHaveIsNotInspected() {
        Inspection inspection = open(1).getFirst().inspection();
        assertThatThrownBy(() -> inspection.heapUsage(1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ranks run from 0 to size - 1: rank=1 size=1");
        assertThatThrownBy(() -> inspection.structures(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSegmentOfAnotherWorldSizeIsRefused() {
        open(2);
        assertThatThrownBy(() -> world(3).rank(2).open()).isInstanceOf(LayoutMismatchException.class)
                .hasMessageContaining("foundSize=2")
                .hasMessageContaining("expectedSize=3");
    }

    @Test
    void moreMemoryThanThereIsIsRefusedWithBothNumbers() throws IOException {
        assertThatThrownBy(() -> world(2).rank(0).segment(1L << 50).open())
                .isInstanceOfSatisfying(JoinRefusedException.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE);
                    assertThat(refused).hasMessageContaining("askedBytes=" + (1L << 50))
                            .hasMessageContaining("availableBytes=");
                });
        assertThat(files()).isEmpty();
    }

    @Test
    void aNameWithAnotherConfigurationShowsBoth() {
        List<World> ranks = open(2);
        ranks.get(0).longMap("hits").capacity(100).open();
        assertThatThrownBy(() -> ranks.get(1).longMap("hits").capacity(200).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("capacity=100")
                .hasMessageContaining("capacity=200");
    }

    @Test
    void aMapThatDoesNotFitLeavesNothingBehind() {
        List<World> ranks = open(2);
        long free = ranks.get(0).participant().heap().usage(0).freeBytes();
        assertThatThrownBy(() -> ranks.get(0).longMap("large").fixedCapacity(100_000_000).open())
                .isInstanceOfSatisfying(SegmentFullException.class, full -> {
                    assertThat(full.rank()).isZero();
                    assertThat(full.askedBytes()).isGreaterThan(100_000_000L / 2 * 2 * Long.BYTES);
                    assertThat(full.freeBytes()).isEqualTo(free);
                    assertThat(full).hasMessage("the segment is full, make it larger: structure=large kind=long-map"
                            + " verb=allocate rank=0 askedBytes=" + full.askedBytes() + " freeBytes=" + free);
                });
        assertThat(ranks.get(0).participant().heap().usage(0).freeBytes()).isEqualTo(free);
        assertThat(ranks.get(0).structures()).isEmpty();
        ranks.get(1).longMap("large").fixedCapacity(100).open();
        assertThat(ranks.get(0).structures()).extracting("name").containsExactly("large");
    }

    record Wide(double firstMeasurement, double secondMeasurement, double thirdMeasurement, double fourthMeasurement,
            double fifthMeasurement, double sixthMeasurement, double seventhMeasurement, double eighthMeasurement,
            double ninthMeasurement, double tenthMeasurement, double eleventhMeasurement, double twelfthMeasurement,
            double thirteenthMeasurement, double fourteenthMeasurement, double fifteenthMeasurement,
            double sixteenthMeasurement, double seventeenthMeasurement, double eighteenthMeasurement,
            double nineteenthMeasurement, double twentiethMeasurement) {}

    @Test
    void aMapOfAVeryWideRecordIsSharedLikeAnyOther() {
        List<World> ranks = open(2);
        Wide wide = new Wide(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
        ranks.get(0).map("wide", Long.class, Wide.class).capacity(100).open().put(1L, wide);
        assertThat(ranks.get(1).map("wide", Long.class, Wide.class).capacity(100).open().get(1L)).isEqualTo(wide);
        assertThatThrownBy(() -> ranks.get(1).map("wide", Long.class, Wide.class).capacity(200).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageMatching("a structure of this name exists with another configuration: structure=wide"
                        + " existing=\\[map keys=long values=Wide\\(.*\\.\\.\\. bytes=\\d+ hash=\\w{32}\\]"
                        + " asked=\\[map keys=long values=Wide\\(.*\\.\\.\\. bytes=\\d+ hash=\\w{32}\\]");
    }

    @Test
    void anOperationIsExplainedByTheVerbsThatItsThreadUses() throws Exception {
        World world = open(2).getFirst();
        LongLongMap map = world.longMap("hits").capacity(1000).open();
        LongLongMap elsewhere = worlds.getLast().longMap("hits").capacity(1000).open();
        for (long key = 0; key < 100; key++) {
            map.put(key, key);
        }
        CountDownLatch explaining = new CountDownLatch(1);
        CountDownLatch found = new CountDownLatch(1);
        onAllRanks(List.of(() -> {
            Journal journal = world.explain(() -> {
                explaining.countDown();
                awaited(found);
            });
            assertThat(journal).hasToString("no verb");
            return true;
        }, () -> {
            awaited(explaining);
            for (long key = 0; key < 100; key++) {
                assertThat(map.getOrDefault(key, -1)).isEqualTo(key);
                assertThat(elsewhere.getOrDefault(key, -1)).isEqualTo(key);
            }
            found.countDown();
            return true;
        }));
        Map<String, Long> kinds = new TreeMap<>();
        for (long key = 0; key < 100; key++) {
            long explained = key;
            Journal journal = world.explain(() -> assertThat(map.getOrDefault(explained, -1)).isEqualTo(explained));
            kinds.merge(journal.toString().replaceAll("[0-9]+\\+[0-9]+( \\([0-9]+ bytes\\))?", "?"), 1L, Long::sum);
        }
        assertThat(kinds.keySet())
                .allMatch(kind -> kind.matches("no verb|R \\?(, R \\?)*; [0-9] round trips?; rank 1"));
        assertThat(kinds.get("R ?; 1 round trip; rank 1")).as("of keys at the other rank").isGreaterThan(20);
        assertThat(kinds.get("no verb")).as("of keys at this rank").isGreaterThan(20);
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void aBarrierHoldsEveryRankUntilTheLastHasEntered() throws Exception {
        List<World> ranks = open(3);
        LongLongMap map = ranks.get(0).longMap("entered").open();
        List<Long> sums = onAllRanks(ranks.stream().map(world -> (Callable<Long>) () -> {
            long seen = 0;
            for (int round = 1; round <= 200; round++) {
                map.addAndGet(round, 1);
                world.barrier();
                seen += map.getOrDefault(round, 0);
            }
            return seen;
        }).toList());
        assertThat(sums).containsExactly(600L, 600L, 600L);
    }

    @Test
    void reductionsCombineTheValuesOfAllRanks() throws Exception {
        List<World> ranks = open(3);
        List<long[]> results = onAllRanks(ranks.stream().map(world -> (Callable<long[]>) () -> {
            long[] values = new long[150];
            for (int at = 0; at < values.length; at++) {
                values[at] = (world.rank() + 1) * 1000L + at;
            }
            world.allReduce(values, Long::sum);
            world.allReduce(values, Math::max);
            return values;
        }).toList());
        for (long[] values : results) {
            for (int at = 0; at < values.length; at++) {
                assertThat(values[at]).isEqualTo(6000L + 3L * at);
            }
        }
    }
}
