package io.atoll.fabric.sim;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Tries a test with many seeds. {@code -Datoll.seed=N} repeats one of them, {@code -Datoll.seeds=N} tries so many instead,
 * {@code -Datoll.seeds.percent=N} such a part of them; Maven hands all three to the tests.
 */
public final class Seeds {

    /** A test with one seed. */
    public interface Trial {
        void run(long seed) throws Exception;
    }

    private Seeds() {}

    /** @throws AssertionError what the first failing seed failed with, and the seed */
    public static void each(int count, Trial trial) {
        Long single = Long.getLong("atoll.seed");
        if (single != null) {
            run(single, trial);
            return;
        }
        long seeds = Long.getLong("atoll.seeds", Math.ceilDiv(count * Long.getLong("atoll.seeds.percent", 100), 100));
        for (long seed = 1; seed <= seeds; seed++) {
            run(seed, trial);
        }
    }

    /** How many seeds it takes until the trial fails; for tests that must be able to fail. Throws if none of them does. */
    public static int untilFailure(int count, Trial trial) {
        for (int seed = 1; seed <= count; seed++) {
            try {
                runInThreadOfItsOwn(seed, trial);
            } catch (AssertionError found) {
                return seed;
            } catch (Exception unexpected) {
                throw new AssertionError("seed=" + seed, unexpected);
            }
        }
        throw new AssertionError("no seed makes it fail: seeds=" + count);
    }

    private static void run(long seed, Trial trial) {
        try {
            runInThreadOfItsOwn(seed, trial);
        } catch (Exception | AssertionError failure) {
            throw new AssertionError("seed=" + seed + ": " + failure.getMessage(), failure);
        }
    }

    /** What a thread keeps of each fabric that it uses, and with it all of a simulation, goes with the thread. */
    private static void runInThreadOfItsOwn(long seed, Trial trial) throws Exception {
        FutureTask<Void> task = new FutureTask<>(() -> {
            trial.run(seed);
            return null;
        });
        Thread.ofPlatform().name("seed " + seed).daemon().start(task);
        try {
            task.get();
        } catch (ExecutionException failure) {
            switch (failure.getCause()) {
                case Error error -> throw error;
                case Exception exception -> throw exception;
                default -> throw failure;
            }
        }
    }
}
