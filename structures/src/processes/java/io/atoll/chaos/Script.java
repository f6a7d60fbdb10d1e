package io.atoll.chaos;

import io.atoll.chaos.workload.Setting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The properties of a world and its faults, all from a seed. The processes' own timing does not follow from it. So a
 * seed repeats the faults and not the run.
 *
 * @param ranks at most 4
 * @param together true if ranks 0 and 1 live in one process, each loaded by a class loader of its own
 * @param hazelcast true if Hazelcast finds the ranks
 * @param pressed true if the folder has room for nothing but the segments, and those are small and kept full
 * @param reduces true if a thread of each rank reduces all the time, in the place of buffers that flush. All ranks must
 * call collective operations in the same order
 * @param interrupts true if threads are interrupted while there are faults
 * @param largestText in letters
 */
record Script(long seed, int ranks, boolean together, boolean hazelcast, boolean pressed, boolean interrupts,
        boolean errors, boolean reduces, long segmentBytes, int heapMegabytes, int largestText, long millis,
        List<Fault> faults) {

    private static final int KINDS = 4;
    private static final long MEGABYTE = 1 << 20;
    private static final long TIMEOUT_MILLIS = Setting.OPERATION_TIMEOUT.toMillis();

    /**
     * Returns the world of this number. The first four worlds show every feature. The seed decides which of them comes
     * first, since a short run has two or three worlds.
     */
    static Script of(long seed, int number, long millis) {
        var random = new SplittableRandom(seed * 31 + number);
        int kind = number < KINDS ? (int) Math.floorMod(seed + number, (long) KINDS) : random.nextInt(KINDS);
        boolean pressed = kind == 2;
        boolean together = kind == 1 || number >= KINDS && random.nextInt(6) == 0;
        int ranks = together ? 3 + random.nextInt(2) : pressed ? 2 + random.nextInt(2) : 3;
        boolean hazelcast = kind == 1 || number >= KINDS && random.nextInt(4) == 0;
        return new Script(seed, ranks, together, hazelcast, pressed, kind % 2 == 0, kind == 3,
                random.nextBoolean(),
                pressed ? (3 + random.nextInt(4)) * MEGABYTE : 32 * MEGABYTE, pressed ? 48 : together ? 160 : 96,
                pressed ? 100_000 : 2_000, millis, faults(random, ranks, millis));
    }

    private static List<Fault> faults(SplittableRandom random, int ranks, long millis) {
        List<Fault> faults = new ArrayList<>();
        long at = 500 + random.nextLong(500);
        boolean lastIsForGood = random.nextInt(3) > 0;
        while (at < millis - 1500) {
            faults.add(fault(random, at, ranks));
            at += 200 + random.nextLong(1800);
        }
        if (lastIsForGood) {
            Fault.Kind kind = random.nextBoolean() ? Fault.Kind.KILL_FOR_GOOD : Fault.Kind.LEAVE_FOR_GOOD;
            faults.add(new Fault(millis - 500, kind, random.nextInt(ranks), 0, random.nextBoolean()));
        }
        faults.sort(Comparator.comparingLong(Fault::atMillis));
        return List.copyOf(faults);
    }

    private static Fault fault(SplittableRandom random, long at, int ranks) {
        int rank = random.nextInt(ranks);
        boolean waits = random.nextInt(4) > 0;
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> new Fault(at, Fault.Kind.KILL, rank, random.nextLong(1500), waits);
            case 3, 4 -> new Fault(at, Fault.Kind.PAUSE, rank, 20 + random.nextLong(600), waits);
            case 5 -> new Fault(at, Fault.Kind.PAUSE, rank, TIMEOUT_MILLIS + 500 + random.nextLong(2000),
                    waits);
            case 6 -> new Fault(at, Fault.Kind.FENCE, rank, 100 + random.nextLong(700), waits);
            default -> new Fault(at, Fault.Kind.LEAVE, rank, random.nextLong(1000), waits);
        };
    }

    /** Returns the rank whose process the given rank lives in. */
    int hostOf(int rank) {
        return together && rank == 1 ? 0 : rank;
    }
}
