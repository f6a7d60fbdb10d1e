package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.AllocatedBytes;
import io.atoll.CostPage;
import io.atoll.CostPage.RoundTrips;
import io.atoll.Fabrics;
import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.epoch.Token;
import io.atoll.fabric.trace.Journal;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.LongLongMap;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a rank writes about itself, and what other ranks read of it. */
class HistoryTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final long SEGMENT_BYTES = 4 << 20;
    // One of this many looks reads the directory.
    private static final int LOOKS_OF_DIRECTORY = 10;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    private Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int rank, long segmentBytes, boolean history) {
        World world = World.named("past")
                .size(2)
                .rank(rank)
                .segment(segmentBytes)
                .fabric(Fabrics.sharedMemory(folder, false))
                .history(history)
                .open();
        worlds.add(world);
        return world;
    }

    private static RankHistory awaitPoint(Inspection inspection, int rank) {
        return await().atMost(SOON)
                .until(() -> inspection.history(rank).filter(history -> !history.points().isEmpty()),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** Returns a recorder whose points are due when the test says so. */
    private static Recorder recorder(World world, PendingEvents pendingEvents) {
        return new Recorder("of a test", world::participant, world::peers, Optional.empty(), pendingEvents,
                world.background());
    }

    private static long word(World world) {
        Participant self = world.participant();
        return self.endpoint().fabric().local().getAcquire(self.historyWord());
    }

    @Test
    void theOtherRankReadsIt() throws InterruptedException {
        World first = open(0, SEGMENT_BYTES, true);
        World second = open(1, SEGMENT_BYTES, true);
        second.peers().awaitAll(SOON);
        RankHistory history = awaitPoint(second.inspection(), 0);
        RankHistory.Point last = history.points().getLast();
        assertThat(history.rank()).isZero();
        assertThat(history.origin()).isEqualTo(RankHistory.Origin.LIVE);
        assertThat(history.identity().pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(history.writtenMillisAgo()).isBetween(0L, SOON.toMillis());
        assertThat(last.value(Series.HEAP_USED_BYTES)).isGreaterThanOrEqualTo(HistoryBlock.OF_RANKS.bytes());
        assertThat(last.value(Series.RESIDENT_BYTES)).isPositive();
        assertThat(last.value(Series.PROCESS_CPU_MILLIS)).isPositive();
        assertThat(last.value(Series.JAVA_HEAP_BYTES)).isPositive();
        await().atMost(SOON)
                .until(() -> second.inspection()
                        .history(0)
                        .orElseThrow()
                        .events()
                        .stream()
                        .anyMatch(event -> event.kind() == Event.Kind.JOINED && event.subject() == 1));
        assertThat(first.inspection().history(0)).as("its own").isPresent();
    }

    @Test
    void aRankThatKeepsNoneHasNone() {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, true);
        assertThat(word(world)).isZero();
        assertThat(world.inspection().history(0)).isEmpty();
        assertThat(awaitPoint(world.inspection(), 1).points()).isNotEmpty();
    }

    @Test
    void whereTheSegmentHasNoRoomThereIsNoneAndTheWorldWorks() {
        World world = open(0, 1 << 20, true);
        open(1, 1 << 20, true);
        LongLongMap map = world.longMap("hits").capacity(100).open();
        map.put(1, 2);
        try (Recorder recorder = recorder(world, new PendingEvents())) {
            recorder.step(0);
            recorder.step(SECOND);
        }
        assertThat(word(world)).isZero();
        assertThat(world.inspection().history(0)).isEmpty();
        assertThat(map.getOrDefault(1, -1)).isEqualTo(2);
    }

    @Test
    void whereTheHeapIsFullThereIsNone() {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, false);
        Participant self = world.participant();
        long free = world.inspection().heapUsage(0).orElseThrow().freeBytes();
        self.heap().commit(0, self.heap().reserve(0, free - HistoryBlock.OF_RANKS.bytes() / 2));
        try (Recorder recorder = recorder(world, new PendingEvents())) {
            recorder.step(0);
            recorder.step(SECOND);
        }
        assertThat(word(world)).isZero();
    }

    @Test
    void theNextLifeGoesOn() {
        World first = open(0, SEGMENT_BYTES, false);
        World second = open(1, SEGMENT_BYTES, false);
        PendingEvents pendingEvents = new PendingEvents();
        write(first, pendingEvents, 3);
        // The second rank has met the first one when this returns.
        second.participant();
        long block = word(first);
        long used = second.inspection().heapUsage(0).orElseThrow().ownedBytes();
        first.close();
        World again = open(0, SEGMENT_BYTES, false);
        write(again, pendingEvents, 2);

        RankHistory history = again.inspection().history(0).orElseThrow();
        assertThat(word(again)).isEqualTo(block);
        assertThat(history.points()).hasSize(5);
        assertThat(history.events()).extracting(Event::text)
                .containsSequence("incarnation 1", "incarnation 1")
                .contains("incarnation 2");
        assertThat(again.inspection().heapUsage(0).orElseThrow().ownedBytes()).isEqualTo(used);
    }

    private static void write(World world, PendingEvents pendingEvents, int points) {
        world.participant();
        try (Recorder recorder = recorder(world, pendingEvents)) {
            for (int point = 0; point < points; point++) {
                recorder.step(point * SECOND);
            }
        }
    }

    @Test
    void theLastTenMinutesAreKept() {
        World world = open(0, SEGMENT_BYTES, false);
        World other = open(1, SEGMENT_BYTES, false);
        PendingEvents pendingEvents = new PendingEvents();
        Inspection inspection = other.inspection();
        world.participant();
        try (Recorder recorder = recorder(world, pendingEvents)) {
            for (int point = 0; point < 1_500; point++) {
                recorder.step(point * SECOND);
                pendingEvents.add(Event.Kind.VIEW, 7, "number " + point);
                if (point % 400 == 0) {
                    inspection.history(0);
                }
            }
            recorder.step(0);
        }
        RankHistory remembered = inspection.history(0).orElseThrow();
        RankHistory read = other.inspection().history(0).orElseThrow();
        assertThat(read.points()).hasSize(599);
        assertThat(read.events()).hasSize(999);
        assertThat(read.events().getLast().text()).isEqualTo("number 1499");
        assertThat(remembered.points()).hasSize(599);
        assertThat(remembered.points()).extracting(RankHistory.Point::atMillis)
                .containsExactlyElementsOf(read.points().stream().map(RankHistory.Point::atMillis).toList());
        assertThat(remembered.events()).isEqualTo(read.events());
    }

    @Test
    void whatWasReadBeforeIsNotReadAgain() throws IOException {
        World world = open(0, SEGMENT_BYTES, false);
        World other = open(1, SEGMENT_BYTES, false);
        PendingEvents pendingEvents = new PendingEvents();
        Inspection inspection = other.inspection();
        other.participant();
        write(world, pendingEvents, 10);
        Journal whole = other.explain(() -> inspection.history(0));
        Journal nothingNew = other.explain(() -> inspection.history(0));
        assertThat(whole.reads()).as("word, counts, identity, operations, points, events, counts").isEqualTo(7);
        assertThat(nothingNew.reads()).isEqualTo(3);
        assertThat(List.of(whole, nothingNew)).allMatch(reading -> reading.roundTrips() == reading.reads());
        assertThat(CostPage.read()).containsEntry("history of a rank: a point a second / read by another",
                RoundTrips.ONE_FOR_EACH_READ);
        write(world, pendingEvents, 1);
        assertThat(other.explain(() -> inspection.history(0)).reads()).as("another writer has come")
                .isEqualTo(7);
    }

    @Test
    void operationsOnStructuresAreThereAlsoThoseThatTakeNoVerb() {
        World world = open(0, SEGMENT_BYTES, false);
        World other = open(1, SEGMENT_BYTES, false);
        LongLongMap hits = world.longMap("hits").fixedCapacity(100).open();
        hits.put(0, 1);
        try (Recorder recorder = recorder(world, new PendingEvents())) {
            recorder.step(0);
            for (long key = 0; key < 50; key++) {
                hits.put(key, 1);
            }
            recorder.step(SECOND);
        }
        RankHistory history = other.inspection().history(0).orElseThrow();
        assertThat(history.points().getLast().value(Series.OPERATIONS)).isEqualTo(51);
        assertThat(history.operations().isComplete()).isTrue();
        assertThat(history.operations().listed()).containsExactly(new RankHistory.Operations.Listed(
                NamedStructure.hash("hits"), new RankHistory.Operations.Counts(51, 50)));
    }

    @Test
    void epochsAndLocksAreThere() throws InterruptedException {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, false);
        LockTable locks = world.lockTable("guards").locks(10).counted(true).open();
        long[] values;
        try (Recorder recorder = recorder(world, new PendingEvents()); Token token = world.epochs().register()) {
            for (int index = 0; index < 10; index++) {
                try (Acquisition held = locks.lockAt(index)) {
                    assertThat(held.isHeld()).isTrue();
                }
            }
            token.pin();
            recorder.step(0);
            recorder.step(SECOND);
            token.unpin();
            values = world.inspection().history(0).orElseThrow().points().getLast().values();
        }
        assertThat(values[Series.LOCK_ACQUISITIONS.ordinal()]).isEqualTo(10);
        assertThat(values[Series.RANKS_JOINED.ordinal()]).isEqualTo(2);
        assertThat(values[Series.HEAP_USED_BYTES.ordinal()]).isEqualTo(used(world));
        assertThat(values[Series.HEAP_OBJECT_BYTES.ordinal()])
                .isEqualTo(world.inspection().heapUsage(0).orElseThrow().objectBytes());
    }

    @Test
    void thatALockWasRecoveredIsToldOnceThoughATableComesAtThatMoment() throws InterruptedException {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, false);
        LockTable locks = world.lockTable("guards").locks(10).counted(true).open();
        try (Recorder recorder = recorder(world, new PendingEvents())) {
            long second = 0;
            for (; second < LOOKS_OF_DIRECTORY; second++) {
                recorder.step(second * SECOND);
            }
            recover(locks);
            recover(world.lockTable("others").locks(10).counted(true).open());
            for (; second < 3 * LOOKS_OF_DIRECTORY; second++) {
                recorder.step(second * SECOND);
            }
        }
        assertThat(world.inspection().history(0).orElseThrow().events())
                .filteredOn(event -> event.kind() == Event.Kind.LOCK_RECOVERED)
                .extracting(Event::text)
                .containsExactly("2 acquired after a holder had died");
    }

    private static void recover(LockTable locks) throws InterruptedException {
        locks.lockAt(0);
        assertThat(locks.forceUnlock(0)).isTrue();
        try (Acquisition next = locks.lockAt(0)) {
            assertThat(next.recovered()).isTrue();
        }
    }

    @Test
    void aPinIsAsOldAsTheClockSaysThatNobodySets() {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, false);
        try (Recorder recorder = recorder(world, new PendingEvents()); Token token = world.epochs().register()) {
            token.pin();
            recorder.step(0);
            recorder.step(SECOND);
            recorder.step(3 * SECOND);
            token.unpin();
        }
        assertThat(world.inspection().history(0).orElseThrow().points().getLast().value(Series.OLDEST_PIN_MILLIS))
                .isEqualTo(3_000);
    }

    private static long used(World world) {
        return world.inspection()
                .heapUsage(0)
                .map(usage -> usage.totalBytes() - usage.freeBytes())
                .orElseThrow();
    }

    @Test
    void eventsThatFindNoRoomAreCounted() {
        PendingEvents pendingEvents = new PendingEvents();
        for (int event = 0; event < PendingEvents.PLACES + 3; event++) {
            pendingEvents.add(Event.Kind.VIEW, Event.NO_RANK, "x");
        }
        assertThat(pendingEvents.dropped()).isEqualTo(3);
    }

    @Test
    void aPointTakesNothingOfTheJavaHeap() {
        World world = open(0, SEGMENT_BYTES, false);
        open(1, SEGMENT_BYTES, false);
        world.lockTable("guards").locks(10).counted(true).open();
        world.epochs().prepare();
        try (Recorder recorder = recorder(world, new PendingEvents())) {
            long[] now = new long[1];
            assertThat(AllocatedBytes.of(() -> {
                for (int point = 0; point < 2_000; point++) {
                    now[0] = recorder.step(now[0]);
                }
            })).isZero();
        }
    }

    @Test
    void garbageOfAnotherRankIsNoHistoryAndBreaksNoReader() {
        World world = open(0, SEGMENT_BYTES, false);
        World other = open(1, SEGMENT_BYTES, false);
        write(world, new PendingEvents(), 5);
        Participant self = world.participant();
        LocalMemory own = self.endpoint().fabric().local();
        long block = word(world);
        SplittableRandom random = new SplittableRandom(7);
        long[] nasty = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 62, 600, 599};
        for (int trial = 0; trial < 20_000; trial++) {
            int words = random.nextInt(1, 4);
            for (int word = 0; word < words; word++) {
                long offset = random.nextBoolean()
                        ? block + HistoryBlock.COUNTS + random.nextInt(40) * Layouts.WORD
                        : block + random.nextLong(HistoryBlock.OF_RANKS.bytes() / Layouts.WORD) * Layouts.WORD;
                own.setRelease(offset, random.nextBoolean()
                        ? nasty[random.nextInt(nasty.length)]
                        : random.nextLong());
            }
            if (trial % 10 == 0) {
                other.inspection().history(0).ifPresent(read -> {
                    assertThat(read.points()).hasSizeLessThan(600);
                    assertThat(read.events()).hasSizeLessThan(1_000);
                });
            }
        }
        for (long word : new long[]{1, 64, -64, SEGMENT_BYTES, SEGMENT_BYTES - 64, Long.MAX_VALUE, block + 64,
            Long.MIN_VALUE}) {
            own.setRelease(self.historyWord(), word);
            assertThat(other.inspection().history(0)).isEmpty();
        }
        write(world, new PendingEvents(), 1);
        assertThat(other.inspection().history(0).orElseThrow().points()).as("begun anew").hasSize(1);
    }
}
