package io.atoll.fabric.sim;

/**
 * Tries a test with many seeds. {@code -Datoll.seed=N} repeats one of them, {@code -Datoll.seeds=N} tries so many instead; Maven hands both
 * to the tests.
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
        long seeds = Long.getLong("atoll.seeds", count);
        for (long seed = 1; seed <= seeds; seed++) {
            run(seed, trial);
        }
    }

    /** How many seeds it takes until the trial fails; for tests that must be able to fail. Throws if none of them does. */
    public static int untilFailure(int count, Trial trial) {
        for (int seed = 1; seed <= count; seed++) {
            try {
                trial.run(seed);
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
            trial.run(seed);
        } catch (Exception | AssertionError failure) {
            throw new AssertionError("seed=" + seed + ": " + failure.getMessage(), failure);
        }
    }
}
