package io.atoll.fabric.sim;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Tries a test with many seeds. {@code -Datoll.seed=N} repeats one seed. {@code -Datoll.seeds=N} tries N seeds instead,
 * and {@code -Datoll.seeds.percent=N} tries N percent of them. Maven hands all three to the tests.
 */
public final class Seeds {

    /** A test with one seed. */
    public interface Trial {
        void run(long seed) throws Exception;
    }

    private Seeds() {}

    /** @throws AssertionError with the failure of the first failing seed, and the seed */
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

    /**
     * Returns how many seeds it takes until the trial fails; for tests that must be able to fail. Throws if no seed
     * makes it fail.
     */
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

    /**
     * A thread keeps something of each fabric that it uses, and with it all of a simulation. A thread of its own lets
     * go of that when it ends.
     */
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
