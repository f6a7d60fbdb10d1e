package io.atoll.filter;

import io.atoll.codec.KeyHash;
import io.atoll.completion.Completions;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a blocked Bloom filter, and the two operations on one element (BCL, section 5.4.2). Each word is a
 * filter of its own. An element belongs to one word, and sets several bits there, its pattern:
 * <pre>
 *   63                 hash                 0           63      KeyHash.mixed(hash)       0
 *   +----------+-----------------+----------+           +------+------+------//-----------+
 *   |   rank   |  word of rank   |          |           |  b1  |  b2  |  ...  different   |   bits of the pattern
 *   +----------+-----------------+----------+           +------+------+------//-----------+
 * </pre>
 * A rank's words are one contiguous part of its segment; zeroed memory is an empty filter.
 */
final class FilterBlocks {

    // The constants of a linear congruential generator (Steele and Vigna, 2021). Only its high bits are used.
    private static final long MULTIPLIER = 0xD1342543DE82EF95L;
    private static final long INCREMENT = 0x9E3779B97F4A7C15L;
    private static final int BIT_SHIFT = Long.SIZE - 6;

    private static final Pattern SIZE = Pattern
            .compile(" expected-elements=(\\d+) false-positive-rate=(\\S+)(?: on-loss=empty)?$");

    private final Endpoint endpoint;
    private final KeyHash hashing;
    private final long[] offsets;
    private final long words;
    private final int patternBits;

    /**
     * @param hashing hashes the elements
     * @param offsets where each rank's part begins in its segment, in bytes
     * @param words the number of words of each part
     */
    public FilterBlocks(Endpoint endpoint, KeyHash hashing, long[] offsets, long words, int patternBits) {
        this.endpoint = endpoint;
        this.hashing = hashing;
        this.offsets = offsets;
        this.words = words;
        this.patternBits = patternBits;
    }

    /**
     * Attaches to the blocks of the filter of this name, or creates them.
     *
     * @param elements what they are and how they are hashed
     * @param onLoss what becomes of a part whose segment is lost
     */
    static FilterBlocks open(Participant self, String name, String elements, FilterSize size, OnLoss onLoss) {
        String configuration = "bloom-filter elements=" + elements + " expected-elements=" + size.expectedElements()
                + " false-positive-rate=" + size.falsePositiveRate();
        long bytes = size.bytesPerRank(self.size());
        long[] offsets = self.directory().open(name, configuration, _ -> bytes, onLoss);
        return new FilterBlocks(self.endpoint(), new KeyHash(self.seed()), offsets, bytes / Layouts.WORD,
                size.patternBits());
    }

    /**
     * Returns the size of the filter that was opened by {@link #open}. Absent if its configuration has been cut off.
     */
    public static Optional<FilterSize> size(NamedStructure block) {
        Matcher sized = SIZE.matcher(block.configuration());
        return sized.find()
                ? Optional.of(FilterSize.of(Long.parseLong(sized.group(1)), Double.parseDouble(sized.group(2))))
                : Optional.empty();
    }

    /*
     * Bits are only ever set, and all adds of one element change one word, whose atomics have one order. The first add
     * in this order leaves the whole pattern set, so all later ones find it set. So at most one add of an element
     * returns true. It is the first one, unless other elements had set the whole pattern before. Then all return false,
     * as mightContain had returned true before.
     *
     * Bits that have been set stay until the filter is cleared, even if ranks die. So an element whose add has returned
     * is found. A rank that dies in its add has set the whole pattern or nothing of it.
     */

    /** Returns the hash function that all ranks use for the elements. */
    public KeyHash hashing() {
        return hashing;
    }

    /** Adds the element with this hash. Returns true if it was not there. */
    public boolean add(long hash) {
        int rank = rank(hash);
        long pattern = pattern(hash);
        return (endpoint.getAndBitwiseOr(rank, offset(hash, rank), pattern) & pattern) != pattern;
    }

    /** Returns true if the element with this hash was added, or if other elements have set its bits. */
    public boolean mightContain(long hash) {
        int rank = rank(hash);
        long pattern = pattern(hash);
        return (endpoint.readWord(rank, offset(hash, rank)) & pattern) == pattern;
    }

    /** Begins an operation on the element with this hash. It is done at once where its word is reached at once. */
    CompletionStage<Boolean> submit(Completions completions, long hash, boolean adds) {
        FilterOperation operation = new FilterOperation(this, hash, adds);
        return endpoint.executesAtOnce(operation.owner())
                ? completions.submitted(operation::alone)
                : completions.submit(operation);
    }

    public int rank(long hash) {
        return KeyHash.rank(hash, offsets.length);
    }

    /**
     * Returns the offset of the word of the element with this hash. The choice of the rank is the high half of a
     * 128-bit product. The low half is what that leaves of the hash, as a fraction of 2^64. It chooses the word.
     */
    public long offset(long hash, int rank) {
        return wordOffset(rank, Math.unsignedMultiplyHigh(hash * offsets.length, words));
    }

    /**
     * Returns a pattern of {@code bits} different bits. The hash is hashed again, so that they do not depend on the
     * word that they are set in.
     */
    public static long pattern(long hash, int bits) {
        long state = KeyHash.mixed(hash);
        long pattern = 0;
        while (Long.bitCount(pattern) < bits) {
            pattern |= 1L << (state >>> BIT_SHIFT);
            state = state * MULTIPLIER + INCREMENT;
        }
        return pattern;
    }

    long pattern(long hash) {
        return pattern(hash, patternBits);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    int ranks() {
        return offsets.length;
    }

    /** Returns the number of words of each rank. */
    long words() {
        return words;
    }

    int patternBits() {
        return patternBits;
    }

    long wordOffset(int rank, long word) {
        return offsets[rank] + word * Layouts.WORD;
    }
}
