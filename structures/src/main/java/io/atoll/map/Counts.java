package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.util.Arrays;

/** What is to be added to the counts of blocks, summed for each block. */
final class Counts {

    private int[] owners = new int[1];
    private long[] blocks = new long[1];
    private long[] changes = new long[1];
    private int count;

    /** @param block {@link Block#NONE} if the change is not counted */
    void add(int owner, long block, long change) {
        if (block != Block.NONE) {
            int place = placeOf(owner, block); // may replace the arrays
            changes[place] += change;
        }
    }

    private int placeOf(int owner, long block) {
        for (int place = count - 1; place >= 0; place--) {
            if (owners[place] == owner && blocks[place] == block) {
                return place;
            }
        }
        if (count == owners.length) {
            owners = Arrays.copyOf(owners, 2 * count);
            blocks = Arrays.copyOf(blocks, 2 * count);
            changes = Arrays.copyOf(changes, 2 * count);
        }
        owners[count] = owner;
        blocks[count] = block;
        return count++;
    }

    /**
     * Adds the sums, which may begin to grow blocks. Uses the thread's batch. Cost: A for each block, in one round trip
     * for {@value Batch#ATOMICS}.
     */
    void tell(Blocks table, Endpoint endpoint) {
        long[] before = new long[count];
        for (int from = 0; from < count; from += Batch.ATOMICS) {
            int to = Math.min(count, from + Batch.ATOMICS);
            Batch batch = endpoint.batch();
            for (int place = from; place < to; place++) {
                batch.getAndAdd(owners[place], BlockHead.of(blocks[place]) + BlockHead.COUNTS, changes[place]);
            }
            batch.complete();
            for (int place = from; place < to; place++) {
                before[place] = batch.result(place - from);
            }
        }
        for (int place = 0; place < count; place++) {
            table.counted(owners[place], blocks[place], before[place], changes[place]);
        }
    }
}
