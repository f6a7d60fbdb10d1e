package io.atoll.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Handle;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Counts what the Javadoc promises. */
class FilterCostTest {

    private static final int RANKS = 3;
    private static final long[] OFFSETS = {64, 128, 192};
    private static final long WORDS = 512;
    private static final Guarantees WITH_FETCH_OR = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, true, true);

    private final long own = elementOf(0);
    private final long other = elementOf(1);

    private static long elementOf(int rank) {
        return LongStream.range(0, 100)
                .filter(element -> KeyHash.rank(FixedHash.of(element), RANKS) == rank)
                .findFirst()
                .orElseThrow();
    }

    private RecordingFabric fabric(Guarantees guarantees) {
        return new RecordingFabric(
                new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(16 << 10).guarantees(guarantees))
                        .fabric(0));
    }

    private static LongBloomFilter filter(RecordingFabric fabric) {
        return filter(fabric, OFFSETS);
    }

    private static LongBloomFilter filter(RecordingFabric fabric, long[] offsets) {
        FilterBlocks blocks = new FilterBlocks(new Endpoint(fabric), FixedHash.HASHING, offsets, WORDS, 5);
        return new LongBloomFilter("seen", new Handle<>(() -> blocks), FilterSize.of(1_000, 0.01));
    }

    private static String costs(Journal journal) {
        return "R".repeat(journal.reads()) + "A".repeat(journal.atomics()) + "W".repeat(journal.writes()) + " in "
                + journal.roundTrips() + " at " + journal.ranks();
    }

    @Test
    void findingIsOneRead() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            RecordingFabric fabric = fabric(guarantees);
            LongBloomFilter filter = filter(fabric);
            assertThat(costs(fabric.record(() -> filter.mightContain(other)))).isEqualTo("R in 1 at [1]");
            filter.add(other);
            assertThat(costs(fabric.record(() -> filter.mightContain(other)))).isEqualTo("R in 1 at [1]");
        }
    }

    @Test
    void addingIsOneAtomicWhereTheFabricHasAFetchOr() {
        RecordingFabric fabric = fabric(SimOptions.SHARED_MEMORY);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.add(other)))).isEqualTo("A in 1 at [1]");
        assertThat(costs(fabric.record(() -> filter.add(other)))).isEqualTo("A in 1 at [1]");
    }

    @Test
    void elsewhereAddingIsAReadAndAnAtomicAndAReadAloneIfTheElementIsThere() {
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.add(other)))).isEqualTo("RA in 2 at [1]");
        assertThat(costs(fabric.record(() -> filter.add(other)))).isEqualTo("R in 1 at [1]");
    }

    @Test
    void theOwnMemoryCostsNothingWhereTheFabricsAtomicsAreTheProcessors() {
        RecordingFabric fabric = fabric(SimOptions.SHARED_MEMORY);
        LongBloomFilter filter = filter(fabric);
        assertThat(fabric.record(() -> assertThat(filter.add(own)).isTrue())).hasToString("no verb");
        assertThat(fabric.record(() -> assertThat(filter.mightContain(own)).isTrue())).hasToString("no verb");
    }

    @Test
    void theOwnMemoryIsReachedThroughTheFabricWhereItsAtomicsAreNotTheProcessors() {
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.add(own)))).isEqualTo("RA in 2 at [0]");
        assertThat(costs(fabric.record(() -> filter.mightContain(own)))).isEqualTo("R in 1 at [0]");
    }

    @Test
    void theOccupancyIsAReadForEach32KibibytesOfTheOthers() {
        long words = 3 * (32 << 10) / 8 + 8;
        RecordingFabric fabric = new RecordingFabric(
                new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(128 << 10).guarantees(SimOptions.SHARED_MEMORY))
                        .fabric(0));
        FilterBlocks blocks = new FilterBlocks(new Endpoint(fabric), FixedHash.HASHING, OFFSETS, words, 5);
        Journal journal = fabric.record(new WholeFilter(blocks)::occupancy);
        assertThat(costs(journal)).isEqualTo("RRRRRRRR in 8 at [1, 2]");
        assertThat(journal.bytes()).isEqualTo(2 * words * 8);
    }

    @Test
    void manyElementsAreReadInOneRoundTripAndChangedInAnother() {
        long[] elements = elementsOfDifferentWords(40);
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.addAll(elements))))
                .isEqualTo("R".repeat(40) + "A".repeat(40) + " in 2 at [0, 1, 2]");
        assertThat(costs(fabric.record(() -> filter.addAll(elements))))
                .isEqualTo("R".repeat(40) + " in 1 at [0, 1, 2]");
        assertThat(costs(fabric.record(() -> filter.mightContainAll(elements))))
                .isEqualTo("R".repeat(40) + " in 1 at [0, 1, 2]");
    }

    @Test
    void moreElementsThanABatchHasResultsTakeSeveral() {
        long[] elements = elementsOfDifferentWords(65);
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        assertThat(fabric.record(() -> filter.addAll(elements)).roundTrips()).isEqualTo(4);
        assertThat(fabric.record(() -> filter.mightContainAll(elements)).roundTrips()).isEqualTo(1);
    }

    @Test
    void whereTheFabricHasAFetchOrManyElementsOfAnyRanksAreAddedInOneRoundTrip() {
        long[] elements = elementsOfDifferentWords(64);
        RecordingFabric fabric = fabric(WITH_FETCH_OR);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.addAll(elements))))
                .isEqualTo("A".repeat(64) + " in 1 at [0, 1, 2]");
        assertThat(filter.addAll(elements)).containsOnly(false);
        assertThat(filter.addAll(new long[]{-1, -1, elements[0]})).containsExactly(true, false, false);
        long[] more = elementsOfDifferentWords(65);
        assertThat(fabric.record(() -> filter.addAll(more)).roundTrips()).isEqualTo(2);
    }

    @Test
    void asManyWordsAreReadTogetherAsASmallBufferHas() {
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        for (int count = 256; count <= 257; count++) {
            long[] elements = LongStream.range(0, count).toArray();
            assertThat(fabric.record(() -> filter.mightContainAll(elements)).roundTrips()).isEqualTo(count - 255);
        }
    }

    @Test
    void whereVerbsAreExecutedAtOnceManyElementsAreSoManyFetchOrs() {
        RecordingFabric fabric = fabric(SimOptions.SHARED_MEMORY);
        LongBloomFilter filter = filter(fabric);
        assertThat(costs(fabric.record(() -> filter.addAll(new long[]{own, other})))).isEqualTo("A in 1 at [1]");
        assertThat(costs(fabric.record(() -> filter.mightContainAll(new long[]{own, other}))))
                .isEqualTo("R in 1 at [1]");
    }

    @Test
    void aUnionReadsBothFiltersAndChangesTheWordsThatGainBits() {
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        LongBloomFilter more = filter(fabric, new long[]{8192, 8192, 8192});
        more.addAll(elementsOfDifferentWords(10));
        assertThat(costs(fabric.record(() -> filter.union(more))))
                .isEqualTo("RRRRRR" + "A".repeat(10) + " in 9 at [0, 1, 2]");
        assertThat(costs(fabric.record(() -> filter.union(more)))).isEqualTo("RRRRRR in 6 at [0, 1, 2]");
    }

    @Test
    void clearingIsAWriteForEachOtherRankWhereTheFabricsAtomicsAreTheProcessors() {
        RecordingFabric fabric = fabric(SimOptions.SHARED_MEMORY);
        Journal journal = fabric.record(filter(fabric)::clear);
        assertThat(journal.writes()).isEqualTo(RANKS - 1);
        assertThat(journal.reads() + journal.atomics()).isZero();
    }

    @Test
    void elsewhereClearingIsAReadForEachRankAndAnAtomicForEachWordWithBits() {
        RecordingFabric fabric = fabric(SimOptions.NETWORK_CARD);
        LongBloomFilter filter = filter(fabric);
        filter.addAll(elementsOfDifferentWords(10));
        assertThat(costs(fabric.record(filter::clear))).isEqualTo("RRR" + "A".repeat(10) + " in 6 at [0, 1, 2]");
        assertThat(costs(fabric.record(filter::clear))).isEqualTo("RRR in 3 at [0, 1, 2]");
    }

    /** Returns elements of different words: two that share a word would be changed one after the other. */
    private static long[] elementsOfDifferentWords(int count) {
        FilterBlocks blocks = new FilterBlocks(
                new Endpoint(new Simulation(1, SimOptions.ranks(RANKS)).fabric(0)), FixedHash.HASHING, OFFSETS, WORDS,
                5);
        Set<GlobalPointer> taken = new HashSet<>();
        return LongStream.range(0, 10 * count).filter(element -> {
            long hash = FixedHash.of(element);
            return taken.add(new GlobalPointer(blocks.rank(hash), blocks.offset(hash, blocks.rank(hash))));
        }).limit(count).toArray();
    }
}
