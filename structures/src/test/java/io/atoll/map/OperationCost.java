package io.atoll.map;

import io.atoll.World;
import io.atoll.world.Handle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToLongFunction;

/**
 * Prints what it costs a find to be counted, in nanoseconds, by several designs in turns of one run:
 * <ul>
 * <li>not at all;
 * <li>as {@link Handle#use()} does, by a load and a store in a stripe of the thread's;
 * <li>one find in 64, chosen at random, by an atomic;
 * <li>each find, by an atomic in a stripe of the thread's.
 * </ul>
 * Arguments: the number of keys, which defaults to 500,000, and rounds, which default to 41.
 */
public final class OperationCost {

    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int SAMPLED = 64;
    private static final int STRIPES = 64;
    private static final int STRIDE = 16;
    private static final int WARM_UPS = 12;

    private final Handle<LongTable> handle;
    private final long[] cells = new long[STRIPES * STRIDE];

    private OperationCost(Handle<LongTable> handle) {
        this.handle = handle;
    }

    /** Prints a line for each design. */
    public static void main(String[] arguments) {
        int keys = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 500_000;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 41;
        try (World world = World.named("operation-cost").segment(256 << 20).open()) {
            OperationCost cost = new OperationCost(world.longMap("hits")
                    .fixedCapacity(keys)
                    .handle("long-map", LongBucket.SIZE, false,
                            (self, blocks, watch) -> new LongTable("hits", self, blocks, watch)));
            long[] all = new SplittableRandom(7).longs(keys).toArray();
            for (long key : all) {
                cost.handle.opened().insert(key, key >>> 3);
            }
            cost.measure(all, rounds);
        }
    }

    private void measure(long[] keys, int rounds) {
        String[] names = {"not counted", "by load and store, striped", "one in 64, by an atomic",
            "by an atomic, striped"};
        List<ToLongFunction<long[]>> designs = List.of(this::uncounted, this::striped, this::sampled, this::atomic);
        double[][] nanos = new double[designs.size()][rounds];
        long sum = 0;
        for (int round = -WARM_UPS; round < rounds; round++) {
            for (int turn = 0; turn < designs.size(); turn++) {
                int design = Math.floorMod(turn + round, designs.size());
                long begin = System.nanoTime();
                sum += designs.get(design).applyAsLong(keys);
                if (round >= 0) {
                    nanos[design][round] = (double) (System.nanoTime() - begin) / keys.length;
                }
            }
        }
        for (int design = 0; design < designs.size(); design++) {
            int counted = design;
            double[] more = new double[rounds];
            Arrays.setAll(more, round -> (nanos[counted][round] / nanos[0][round] - 1) * 100);
            System.out.printf(Locale.ROOT, "%-28s %6.1f ns  %+5.1f %%%n", names[design], median(nanos[design]),
                    median(more));
        }
        System.out.println("sum=" + sum);
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().skip(values.length / 2).findFirst().orElseThrow();
    }

    private long uncounted(long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += handle.opened().find(key, 0);
        }
        return sum;
    }

    private long striped(long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += handle.use().find(key, 0);
        }
        return sum;
    }

    private long sampled(long[] keys) {
        long sum = 0;
        for (long key : keys) {
            if ((ThreadLocalRandom.current().nextInt() & SAMPLED - 1) == 0) {
                CELLS.getAndAdd(cells, stripe(), (long) SAMPLED);
            }
            sum += handle.opened().find(key, 0);
        }
        return sum;
    }

    private long atomic(long[] keys) {
        long sum = 0;
        for (long key : keys) {
            CELLS.getAndAdd(cells, stripe(), 1L);
            sum += handle.opened().find(key, 0);
        }
        return sum;
    }

    private static int stripe() {
        return ((int) Thread.currentThread().threadId() & STRIPES - 1) * STRIDE;
    }
}
