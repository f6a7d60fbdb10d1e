package io.atoll;

import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.map.LongLongMap;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts at keys that no other rank uses, in two maps. Lost parts of the first map begin empty; those of the second are
 * gone. A thread counts until the end, and notes each fault.
 */
final class MapLoad {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long KEYS_OF_A_RANK = 1_000_000;

    private final LongLongMap emptied;
    private final LongLongMap plain;
    // One key of each owner.
    private final long[] keys;
    // The least count that a key may have.
    private final long[] least;
    // The same, with the increments that are in doubt.
    private final long[] most;
    private final int[] resets;
    // True for each owner whose part of the plain map was lost.
    private final boolean[] isGone;
    private final AtomicLongArray operations;
    private final Thread thread;
    private volatile @Nullable String wrong;
    private volatile boolean isOver;

    MapLoad(World world, LongLongMap emptied) {
        int ranks = world.size();
        this.emptied = emptied;
        // A process cannot open a map that has lost a part, so each process has a map of its own.
        this.plain = world.longMap("plain " + world.rank() + " " + world.incarnation()).capacity(1_000).open();
        this.keys = new long[ranks];
        this.least = new long[ranks];
        this.most = new long[ranks];
        this.resets = new int[ranks];
        this.isGone = new boolean[ranks];
        this.operations = new AtomicLongArray(ranks);
        long from = KEYS_OF_A_RANK * (1 + world.rank() + (long) ranks * world.incarnation());
        Arrays.setAll(keys, owner -> LostSegmentProgram.keyOf(emptied, from, owner));
        this.thread = Thread.ofPlatform().name("load").daemon().start(this::run);
    }

    private void run() {
        try {
            while (!isOver && wrong == null) {
                for (int owner = 0; owner < keys.length; owner++) {
                    count(owner);
                    findPlain(owner);
                }
            }
        } catch (RuntimeException undocumented) {
            wrong = undocumented.toString();
        }
    }

    private void count(int owner) {
        try {
            long value = emptied.addAndGet(keys[owner], 1);
            // At most the increments in doubt are there.
            boolean isEmptied = value <= least[owner];
            if (isEmptied) {
                resets[owner]++;
            }
            if (isEmptied ? value > 1 + most[owner] - least[owner] : value > most[owner] + 1) {
                wrong = "counted too much: owner=" + owner + " value=" + value + " least=" + least[owner] + " most="
                        + most[owner];
            }
            least[owner] = value;
            most[owner] = value;
            operations.incrementAndGet(owner);
        } catch (RankUnreachableException asDocumented) {
            most[owner]++;
        }
    }

    private void findPlain(int owner) {
        try {
            plain.addAndGet(keys[owner], 1);
            if (isGone[plain.owner(keys[owner])]) {
                wrong = "what was lost is there: owner=" + plain.owner(keys[owner]);
            }
        } catch (SegmentLostException asDocumented) {
            isGone[asDocumented.rank()] = true;
        } catch (RankUnreachableException asDocumented) {
            // The rank is away at the moment, or its part is lost for good.
        }
    }

    /** Returns when this rank has counted at all ranks since the call, or has seen a fault. */
    String awaitAll() {
        long[] before = new long[keys.length];
        Arrays.setAll(before, operations::get);
        await().atMost(PATIENCE).until(() -> wrong != null || isCountedSince(before));
        return wrong == null ? "all are used" : wrong;
    }

    private boolean isCountedSince(long[] before) {
        for (int owner = 0; owner < before.length; owner++) {
            if (operations.get(owner) <= before[owner]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of operations, how often the part of each rank began empty, and the fault. */
    String end() throws InterruptedException {
        isOver = true;
        thread.join(PATIENCE);
        long all = 0;
        for (int owner = 0; owner < keys.length; owner++) {
            all += operations.get(owner);
        }
        String begun = Arrays.stream(resets).mapToObj(String::valueOf).collect(Collectors.joining(","));
        return all + " " + begun + " " + (thread.isAlive() ? "it does not end" : wrong == null ? "nothing" : wrong);
    }
}
