package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Keys that a stranger chooses. They all meet in one place if a publicly known function hashes them. */
public final class ChosenKeys {

    private static final Hasher64 PUBLIC = Hashing.wyhashFinal4();

    /**
     * One of the public function's constants. If the first half of a key equals it, the function multiplies the second
     * half by zero.
     */
    private static final long CONSTANT = 0xE7037ED1A0B428DBL;

    private static final int UPPER_HALF_IN_THE_SECOND_RANK = 1 << 23;
    private static final int HOME_BITS = 40;

    private ChosenKeys() {}

    /** Returns words that have the same low bits when mixed. Their high bits mean the second of two ranks. */
    public static LongStream words(int count) {
        return LongStream.range(0, count)
                .map(number -> unmixed((UPPER_HALF_IN_THE_SECOND_RANK | number) << HOME_BITS))
                .peek(word -> assertThat(KeyHash.mixed(word) << Long.SIZE - HOME_BITS).isZero());
    }

    /** Undoes each step of the function, in the opposite order. */
    private static long unmixed(long hash) {
        long mixed = hash ^ hash >>> 31 ^ hash >>> 62;
        mixed *= 0x319642B2D24D8EC3L;
        mixed = mixed ^ mixed >>> 27 ^ mixed >>> 54;
        mixed *= 0x96DE1B173F119089L;
        mixed = mixed ^ mixed >>> 30 ^ mixed >>> 60;
        return mixed - 0x9E3779B97F4A7C15L;
    }

    /**
     * Returns keys of 16 bytes that have the same hash, whatever seed a public function has. The function multiplies
     * the differing half by zero.
     */
    public static Stream<byte[]> bytes(int count) {
        long same = PUBLIC.hashBytesToLong(key(0));
        return IntStream.range(0, count)
                .mapToObj(ChosenKeys::key)
                .peek(key -> assertThat(PUBLIC.hashBytesToLong(key)).isEqualTo(same));
    }

    /** Like {@link #bytes}, as two words. */
    public static Stream<UUID> uuids(int count) {
        return bytes(count).map(key -> {
            MemorySegment words = MemorySegment.ofArray(key);
            return new UUID(words.get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                    words.get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
        });
    }

    private static byte[] key(int number) {
        var key = new byte[16];
        MemorySegment words = MemorySegment.ofArray(key);
        var word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        words.set(word, 0, (int) (CONSTANT >>> Integer.SIZE));
        words.set(word, 4, number);
        words.set(word, 8, (int) CONSTANT);
        return key;
    }
}
