package io.atoll.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.atoll.AllocatedBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyHashTest {

    private static final long SEED = 7;
    private static final int KEYS = 1 << 16;
    private static final int PLACES = 1 << 8;
    private static final int SEEDS = 8;
    private static final KeyHash HASHING = new KeyHash(77);

    /**
     * Keys as they occur: counted up, aligned, packed into the high half, with their bits in reverse order, weakly
     * hashed.
     */
    static Stream<Named<LongUnaryOperator>> regularKeys() {
        return Stream.of(Named.of("1, 2, 3", key -> key), Named.of("multiples of 64", key -> key << 6),
                Named.of("high halves", key -> key << 32),
                Named.of("highest bits", key -> key << 48), Named.of("reversed", Long::reverse),
                Named.of("negative", key -> -key),
                Named.of("gray", key -> key ^ key >> 1), Named.of("doubles", key -> Double.doubleToLongBits(key)));
    }

    @ParameterizedTest
    @MethodSource("regularKeys")
    void regularKeysAreSpreadEvenlyByHighAndByLowBitsUnderEverySeed(LongUnaryOperator keys) {
        for (long seed = 0; seed < SEEDS; seed++) {
            var hashing = new KeyHash(seed);
            assertEven(LongStream.range(0, KEYS).map(keys).map(key -> hashing.of(key) >>> 56));
            assertEven(LongStream.range(0, KEYS).map(keys).map(key -> hashing.of(key) & 255));
        }
        assertEven(LongStream.range(0, KEYS).map(keys).map(key -> HASHING.of(twoWords(key), 0, 16) >>> 56));
        assertEven(LongStream.range(0, KEYS).map(keys).map(key -> HASHING.of(twoWords(key), 0, 16) & 255));
    }

    private static MemorySegment twoWords(long key) {
        return MemorySegment.ofArray(new long[]{key, 1});
    }

    /**
     * Pearson's chi-squared with 255 degrees of freedom. The mean is 255, the standard deviation 22.6. The bound is
     * seven of these, so no good hash is refused.
     */
    private static void assertEven(LongStream places) {
        long[] counts = new long[PLACES];
        places.forEach(place -> counts[(int) place]++);
        double expected = (double) KEYS / PLACES;
        double chiSquared = LongStream.of(counts)
                .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                .sum();
        assertThat(chiSquared).isLessThan(255 + 7 * 22.6);
    }

    @Test
    void theSeedDecidesWhichKeysMeet() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            var hashing = new KeyHash(seed);
            assertScattered(new Random(seed).longs().filter(key -> place(hashing.of(key)) == 0), HASHING::of);
            Stream<byte[]> texts = new Random(seed).longs()
                    .mapToObj(key -> ("key " + key).getBytes(UTF_8))
                    .filter(key -> place(hashing.of(key)) == 0);
            assertScattered(texts.limit(PLACES).mapToLong(HASHING::of));
        }
    }

    /** The keys are chosen by a stranger who knows everything but the seed. */
    @Test
    void keysThatMeetWithoutASeedDoNotMeetUnderOne() {
        assertScattered(ChosenKeys.words(PLACES).map(HASHING::of));
        assertScattered(ChosenKeys.bytes(PLACES).mapToLong(HASHING::of));
        assertScattered(
                ChosenKeys.bytes(PLACES).mapToLong(key -> HASHING.of(MemorySegment.ofArray(longs(key)), 0, 16)));
    }

    private static long[] longs(byte[] bytes) {
        return MemorySegment.ofArray(bytes).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
    }

    private static void assertScattered(LongStream keys, LongUnaryOperator hashing) {
        assertScattered(keys.limit(PLACES).map(hashing));
    }

    /** There are as many keys as places. By chance 162 places are taken, and the standard deviation is 5. */
    private static void assertScattered(LongStream hashes) {
        assertThat(hashes.map(KeyHashTest::place).distinct().count()).isBetween(132L, 192L);
    }

    private static long place(long hash) {
        return hash & PLACES - 1;
    }

    @Test
    void everyBitOfTheHashDependsOnEveryBitOfTheKey() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertEveryBitDependsOnEveryBit(new KeyHash(seed));
        }
    }

    private static void assertEveryBitDependsOnEveryBit(KeyHash hashing) {
        int samples = 10_000;
        int[] flips = new int[Long.SIZE * Long.SIZE];
        new Random(SEED).longs(samples).forEach(key -> {
            for (int in = 0; in < Long.SIZE; in++) {
                long change = hashing.of(key) ^ hashing.of(key ^ 1L << in);
                for (int out = 0; out < Long.SIZE; out++) {
                    flips[in * Long.SIZE + out] += (int) (change >>> out & 1);
                }
            }
        });
        // These are 4096 fair coins. The standard deviation of each is 50, and six of them are left to chance.
        assertThat(IntStream.of(flips)).allSatisfy(count -> assertThat(count).isBetween(4_700, 5_300));
    }

    @Test
    void oneWordInMemoryHasTheHashOfThatWord() {
        MemorySegment memory = MemorySegment.ofArray(new long[]{1, 42, 3});
        assertThat(HASHING.of(memory, 8, 8)).isEqualTo(HASHING.of(42));
    }

    @Test
    void theHashOfSeveralWordsDependsOnAllOfThemAndNothingElse() {
        MemorySegment memory = Arena.ofAuto().allocate(40, 8);
        long hash = HASHING.of(memory, 8, 24);
        for (long position = 0; position < 40; position += 8) {
            memory.fill((byte) 0).set(ValueLayout.JAVA_LONG, position, 1L << 63);
            boolean within = position >= 8 && position < 32;
            assertThat(HASHING.of(memory, 8, 24) != hash).as("position %d", position).isEqualTo(within);
        }
    }

    /**
     * Processes of different builds must agree. So these numbers stay as they are until the segments' layout version is
     * raised.
     */
    @Test
    void theHashesOfAllBuildsAreTheSame() {
        // The first number of SplitMix64 with seed 0.
        assertThat(KeyHash.mixed(0)).isEqualTo(0xE220A8397B1DCDAFL);
        assertThat(HASHING.of(0)).isEqualTo(0xA31432A8095F4DC4L);
        assertThat(HASHING.of(MemorySegment.ofArray(new long[]{1, 2}), 0, 16)).isEqualTo(0x45ADA7A400EF5150L);
        assertThat(HASHING.of("k-mer")).isEqualTo(0x65D68A8AA14A081EL);
    }

    @Test
    void textsAreHashedByTheirCharacters() {
        assertThat(HASHING.of("abc")).isEqualTo(HASHING.of(new StringBuilder("abc"))).isNotEqualTo(HASHING.of("abd"));
        assertThat(HASHING.of("")).isNotEqualTo(HASHING.of("\0"));
    }

    @Test
    void theHighBitsChooseTheRank() {
        assertThat(KeyHash.rank(0, 3)).isZero();
        assertThat(KeyHash.rank(-1, 3)).isEqualTo(2);
        assertThat(KeyHash.rank(Long.MAX_VALUE, 2)).isZero();
        assertThat(KeyHash.rank(Long.MIN_VALUE, 2)).isEqualTo(1);
        assertThat(KeyHash.rank(-1, 1)).isZero();
    }

    @Test
    void ranksHaveEqualSharesWhateverTheirNumber() {
        int ranks = 7;
        int[] share = new int[ranks];
        LongStream.range(0, KEYS).forEach(key -> share[KeyHash.rank(HASHING.of(key), ranks)]++);
        // The distribution is binomial. The standard deviation of a share is 90.
        assertThat(IntStream.of(share)).allSatisfy(count -> assertThat(count).isCloseTo(KEYS / ranks, within(500)));
    }

    @Test
    void hashingAllocatesNothing() {
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        assertThat(AllocatedBytes.of(() -> hash(memory))).isZero();
    }

    private static void hash(MemorySegment memory) {
        for (int index = 0; index < KEYS; index++) {
            memory.set(ValueLayout.JAVA_LONG, 0, HASHING.of(memory, 0, 64) + HASHING.of("text") + HASHING.of(index));
        }
    }
}
