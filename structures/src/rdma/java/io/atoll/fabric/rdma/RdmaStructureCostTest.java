package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.array.LongArray;
import io.atoll.codec.FixedHash;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.trace.Journal;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.SegmentHeader;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests the cost of operations on structures. They need the verbs that the documentation promises, and as many work
 * requests as verbs.
 */
@NeedsRdmaDevice
@Timeout(300)
class RdmaStructureCostTest {

    private static final int REMOTE = 1;

    private final World[] worlds = new World[2];
    private int compared; // operations whose work requests were compared

    record Point(long x, long y, long z) {}

    @BeforeEach
    void join() {
        for (int rank = 0; rank < worlds.length; rank++) {
            worlds[rank] = World.named("verbs-costs")
                    .size(worlds.length)
                    .rank(rank)
                    .segment(8 << 20)
                    .keySeed(FixedHash.SEED) // colliding keys cost more
                    .joinTimeout(Duration.ofSeconds(100))
                    // So that pins are not checked meanwhile.
                    .epochs(EpochSettings.DEFAULT.pinLimit(Duration.ofHours(1)))
                    .fabric(Fabrics.rdma())
                    .open();
        }
    }

    @AfterEach
    void leave() {
        for (World world : worlds) {
            world.close();
        }
        assertThat(compared).isPositive();
    }

    private World world() {
        return worlds[0];
    }

    /** Returns the cost, such as {@code A + 2W}. Checks that it equals the work requests that were posted. */
    private String cost(Runnable operation) {
        return cost(journal(operation));
    }

    private Journal journal(Runnable operation) {
        RdmaFabric fabric = (RdmaFabric) world().participant().endpoint().fabric();
        long resting = fabric.local().getAcquire(SegmentHeader.restingWord());
        long before = fabric.workRequests(0) + fabric.workRequests(REMOTE);
        Journal journal = world().explain(operation);
        long posted = fabric.workRequests(0) + fabric.workRequests(REMOTE) - before;
        // Otherwise this rank has looked at the views of the world meanwhile.
        if (resting != 0 && fabric.local().getAcquire(SegmentHeader.restingWord()) == resting) {
            assertThat(posted).as("%s", journal).isEqualTo(journal.entries().size());
            compared++;
        }
        return journal;
    }

    private static String cost(Journal journal) {
        return (term(journal.atomics(), " + A") + term(journal.reads(), " + R") + term(journal.writes(), " + W"))
                .replaceFirst("^ \\+ ", "");
    }

    private static String term(int count, String kind) {
        return count == 0 ? "" : count == 1 ? kind : kind.replace("+ ", "+ " + count);
    }

    /**
     * Checks that a place is claimed, then filled. The fill is a chain of two if the second write, of a word, must not
     * become visible before the first.
     */
    private static void assertPlaced(Journal journal) {
        assertThat(cost(journal)).isIn("A + W", "A + 2W");
        assertThat(journal.roundTrips()).isEqualTo(2);
    }

    /**
     * Checks that an element is seen, then claimed. This takes a chain of two reads if a single read does not deliver
     * stamp and element whole.
     */
    private static void assertTaken(Journal journal) {
        assertThat(cost(journal)).isIn("A + R", "A + 2R");
        assertThat(journal.roundTrips()).isEqualTo(2);
    }

    @Test
    void ofMapsOfLongs() {
        LongLongMap map = world().longMap("longs").fixedCapacity(1_000).open();
        LongStream.range(1, 11).forEach(key -> map.putIfAbsent(key, 1)); // the first insert in a block may cost more
        for (long each = 11; each < 21; each++) { // 0 looks like memory that was never written, so it is read again
            long key = each;
            assertPlaced(journal(() -> map.putIfAbsent(key, 7)));
            assertThat(cost(() -> map.getOrDefault(key, 0))).isEqualTo("R");
            assertThat(cost(() -> map.addAndGet(key, 1))).isEqualTo("A + R");
            assertThat(cost(() -> map.getAndRemove(key, 0))).isEqualTo("A + R");
        }
    }

    /**
     * Soft-RoCE delivers one word at a time, and keeps the order of reads. A wider value takes a chain, and one round
     * trip.
     */
    @Test
    void ofMapsOfWideValues() {
        DistributedMap<Long, Point> map = world().map("points", Long.class, Point.class).fixedCapacity(1_000).open();
        map.putIfAbsent(1L, new Point(1, 1, 1));
        for (long each = 2; each < 12; each++) {
            long key = each;
            assertPlaced(journal(() -> map.putIfAbsent(key, new Point(key, 2, 3))));
            Journal finding = journal(() -> assertThat(map.get(key)).isEqualTo(new Point(key, 2, 3)));
            assertThat(finding.entries()).extracting(Journal.Entry::kind).containsOnly(Journal.Kind.R);
            assertThat(finding.roundTrips()).isEqualTo(1);
        }
    }

    @Test
    void ofFilters() {
        LongBloomFilter filter = world().longFilter("filter").expectedElements(10_000).open();
        filter.mightContain(0);
        for (long each = 1; each < 11; each++) {
            long element = each;
            assertThat(cost(() -> filter.mightContain(element))).isEqualTo("R");
            assertThat(cost(() -> filter.add(element))).isEqualTo("A + R");
            assertThat(cost(() -> filter.add(element))).isEqualTo("R");
        }
    }

    @Test
    void ofQueues() {
        LongCircularQueue queue = world().longQueue("circle").capacity(64).host(REMOTE).open();
        FastQueue<Long> fast = world().fastQueue("fast", Long.class).capacity(64).host(REMOTE).open();
        List<Long> numbers = LongStream.range(0, 8).boxed().toList();
        queue.push(1);
        queue.pop(0);
        for (int turn = 0; turn < 3; turn++) {
            assertPlaced(journal(() -> assertThat(queue.push(1)).isTrue()));
            assertTaken(journal(() -> assertThat(queue.pop(0)).isEqualTo(1)));
            assertThat(cost(() -> assertThat(fast.push(numbers)).isTrue())).isEqualTo("A + W");
            assertThat(cost(() -> assertThat(fast.pop(8)).isEqualTo(numbers))).isEqualTo("A + R");
        }
    }

    @Test
    void ofArrays() {
        LongArray array = world().longArray("array").length(100).host(REMOTE).open();
        assertThat(cost(() -> array.set(7, 1))).isEqualTo("W");
        assertThat(cost(() -> array.get(7))).isEqualTo("R");
        assertThat(cost(() -> array.getAndAdd(7, 1))).isEqualTo("A");
        assertThat(cost(() -> array.read(0, new long[50]))).isEqualTo("R");
        assertThat(cost(() -> array.write(0, new long[50]))).isEqualTo("W");
    }
}
