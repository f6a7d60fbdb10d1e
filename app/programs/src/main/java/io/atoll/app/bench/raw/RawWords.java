package io.atoll.app.bench.raw;

import io.atoll.World;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;

/**
 * Words of all ranks without a protocol. Operations set or read an element's bit, whatever the other bits are.
 *
 * @param words the number of words of each rank
 */
public record RawWords(RawMemory memory, long words) {

    public static RawWords open(World world, long words) {
        return new RawWords(RawMemory.open(world, "raw words", words * Layouts.WORD), words);
    }

    private int owner(long hash) {
        return KeyHash.rank(hash, memory.ranks());
    }

    private long word(long hash) {
        return Math.unsignedMultiplyHigh(hash * memory.ranks(), words) * Layouts.WORD;
    }

    /** Cost: A for each element; R + A where the fabric has no verb for it. */
    public long set(long[] elements) {
        long sum = 0;
        for (long element : elements) {
            long hash = KeyHash.mixed(element);
            sum += memory.getAndBitwiseOr(owner(hash), word(hash), 1L << element);
        }
        return sum;
    }

    /** Cost: R for each element. */
    public long read(long[] elements) {
        long sum = 0;
        for (long element : elements) {
            long hash = KeyHash.mixed(element);
            sum += memory.read(owner(hash), word(hash), 1);
        }
        return sum;
    }

    /** Cost: R and A for each element, in two round trips for as many elements as fit into a batch. */
    public long setSeveral(long[] elements) {
        if (memory.isMapped()) {
            return set(elements);
        }
        long sum = 0;
        for (int from = 0; from < elements.length; from += Batch.ATOMICS) {
            Batch batch = batchOf(elements, from);
            for (int index = from; index < end(elements, from); index++) {
                long hash = KeyHash.mixed(elements[index]);
                long found = batch.word((index - from) * Layouts.WORD);
                batch.compareAndExchange(owner(hash), offset(hash), found, found | 1L << elements[index]);
            }
            batch.complete();
            sum += batch.result(0);
        }
        return sum;
    }

    /** Cost: R for each element, in one round trip for as many elements as fit into a batch. */
    public long readSeveral(long[] elements) {
        if (memory.isMapped()) {
            return read(elements);
        }
        long sum = 0;
        for (int from = 0; from < elements.length; from += Batch.ATOMICS) {
            sum += batchOf(elements, from).word(0);
        }
        return sum;
    }

    private static int end(long[] elements, int from) {
        return Math.min(from + Batch.ATOMICS, elements.length);
    }

    private long offset(long hash) {
        return memory.offset(owner(hash), word(hash));
    }

    private Batch batchOf(long[] elements, int from) {
        Batch batch = memory.batch();
        for (int index = from; index < end(elements, from); index++) {
            long hash = KeyHash.mixed(elements[index]);
            batch.read(owner(hash), offset(hash), (index - from) * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        return batch;
    }
}
