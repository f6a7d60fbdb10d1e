package io.atoll.fabric.sim;

import java.util.SplittableRandom;

/** Everything that the seed decides. */
final class Fate {

    private final SimOptions options;
    private final SplittableRandom random;
    private final double stickiness;
    private int broken;
    private int struck;

    Fate(long seed, SimOptions options) {
        this.options = options;
        this.random = new SplittableRandom(seed);
        // Some runs change the thread at every step. Others let each thread get far before another one moves.
        this.stickiness = random.nextInt(4) / 4.0;
    }

    SplittableRandom random() {
        return random;
    }

    boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    boolean staysWithAThread() {
        return chance(stickiness);
    }

    boolean pauses() {
        return chance(options.pauseProbability);
    }

    boolean breaks() {
        boolean breaks = broken < options.mostBreaks && chance(options.breakProbability);
        broken += breaks ? 1 : 0;
        return breaks;
    }

    boolean strikes() {
        boolean strikes = struck < options.mostErrors && chance(options.errorProbability);
        struck += strikes ? 1 : 0;
        return strikes;
    }

    boolean kills(int rank, int step) {
        return options.killSteps.getOrDefault(rank, 0) == step
                || options.mortals.contains(rank) && chance(options.killProbability);
    }

    /** Returns a pause of any order of magnitude up to the longest. */
    long anyPauseNanos() {
        long longest = Math.max(1, options.longestPauseNanos / Scheduler.STEP_NANOS);
        int magnitudes = Long.SIZE - Long.numberOfLeadingZeros(longest);
        return Math.min(longest, random.nextLong(1L << random.nextInt(magnitudes + 1))) * Scheduler.STEP_NANOS;
    }
}
