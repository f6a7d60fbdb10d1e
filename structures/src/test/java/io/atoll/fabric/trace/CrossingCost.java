package io.atoll.fabric.trace;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.heap.MutatedFabric;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints what it costs to count a verb that crosses the fabric, in nanoseconds. It measures counted verbs and the same
 * verbs without counting, in turns of one run. The other rank's segment is memory of this host that passes for not
 * mapped. So a verb itself takes next to nothing; by TCP or RDMA it takes microseconds.
 *
 * <p>Here the memory is a wrapper itself, and HotSpot optimizes a wrapper around a wrapper less well. So counting costs
 * up to 2 ns less over a fabric than what is printed.
 *
 * <p>Argument: the number of rounds.
 */
public final class CrossingCost {

    private static final int VERBS = 1_000_000;
    private static final int WARM_UPS = 12;
    private static final int SEGMENT_BYTES = 128 << 10;

    private final Fabric plain;
    private final Fabric counted;
    private final long word;

    private CrossingCost(Fabric plain, Fabric counted, long word) {
        this.plain = plain;
        this.counted = counted;
        this.word = word;
    }

    /** Prints a line for each verb. */
    public static void main(String[] arguments) throws IOException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 41;
        WorldIdentity identity = new WorldIdentity("crossing-cost", 2);
        Path folder = Files.createTempDirectory("atoll-crossing");
        SharedMemory memory = new SharedMemory(folder, false);
        try (Attachment own = memory.attach(identity, OptionalInt.of(0), SEGMENT_BYTES);
                Attachment other = memory.attach(identity, OptionalInt.of(1), SEGMENT_BYTES)) {
            own.connect(1, other.incarnation(), Map.of());
            Fabric far = new Far(own.fabric());
            CrossingCost cost = new CrossingCost(far, MeteredFabric.around(far, new VerbCounts()),
                    SegmentHeader.size(identity.maxSize()));
            cost.measure("read of a word", rounds, cost::reads, cost::countedReads);
            cost.measure("fetch-and-add", rounds, cost::adds, cost::countedAdds);
            cost.measure("batch of two reads", rounds, cost::batches, cost::countedBatches);
        }
        Files.delete(folder);
    }

    /** A fabric that says of every segment that it is not mapped. */
    private static final class Far extends MutatedFabric {

        Far(Fabric near) {
            super(near);
        }

        @Override
        public @Nullable LocalMemory mapped(int rank) {
            return null;
        }
    }

    private void measure(String name, int rounds, LongSupplier uncounted, LongSupplier counting) {
        List<LongSupplier> turns = List.of(uncounted, counting);
        double[][] nanos = new double[turns.size()][rounds];
        long sum = 0;
        for (int round = -WARM_UPS; round < rounds; round++) {
            for (int turn = 0; turn < turns.size(); turn++) {
                int which = Math.floorMod(turn + round, turns.size());
                long begin = System.nanoTime();
                sum += turns.get(which).getAsLong();
                if (round >= 0) {
                    nanos[which][round] = (double) (System.nanoTime() - begin) / VERBS;
                }
            }
        }
        double[] more = new double[rounds];
        Arrays.setAll(more, round -> nanos[1][round] - nanos[0][round]);
        System.out.printf(Locale.ROOT, "%-20s %6.1f ns, counted %6.1f ns, more %5.1f ns (sum %d)%n", name,
                median(nanos[0]), median(nanos[1]), median(more), sum);
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().skip(values.length / 2).findFirst().orElseThrow();
    }

    // Each fabric has its own loop, which is compiled for that fabric alone.

    private long reads() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += plain.readWord(1, word);
        }
        return sum;
    }

    private long countedReads() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += counted.readWord(1, word);
        }
        return sum;
    }

    private long adds() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += plain.getAndAdd(1, word, 1);
        }
        return sum;
    }

    private long countedAdds() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += counted.getAndAdd(1, word, 1);
        }
        return sum;
    }

    private long batches() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += twoReads(plain.batch());
        }
        return sum;
    }

    private long countedBatches() {
        long sum = 0;
        for (int verb = 0; verb < VERBS; verb++) {
            sum += twoReads(counted.batch());
        }
        return sum;
    }

    private long twoReads(Batch batch) {
        batch.read(1, word, 0, Long.BYTES);
        batch.read(1, word, Long.BYTES, Long.BYTES);
        batch.complete();
        return batch.word(0);
    }
}
