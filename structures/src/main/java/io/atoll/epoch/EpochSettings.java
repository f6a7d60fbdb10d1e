package io.atoll.epoch;

import java.time.Duration;

/**
 * How an epoch manager works in one process. Whatever is set, a thread tries to reclaim after its operation whenever
 * 1/16 of a segment's bytes has been retired.
 *
 * @param tokens how many tokens threads of a rank can have registered at the same time; the same at every rank
 * @param reclaimEvery after this many retirements a token tries to reclaim when it is unpinned; 0 for never
 * @param reclaimInterval how often a background thread tries to reclaim; zero for never
 * @param pinLimit a token that has been pinned for longer is reported; advancers wait for it all the same
 */
public record EpochSettings(int tokens, int reclaimEvery, Duration reclaimInterval, Duration pinLimit) {

    /** The most tokens of a rank: as many as one buffer of a scan holds. */
    public static final int MAXIMUM_TOKENS = 480;

    /**
     * 256 tokens, a pin limit of 10 s, and no attempts to reclaim by interval or count: only when much has been
     * retired.
     */
    public static final EpochSettings DEFAULT = new EpochSettings(256, 0, Duration.ZERO, Duration.ofSeconds(10));

    public EpochSettings {
        if (tokens < 1 || tokens > MAXIMUM_TOKENS) {
            throw new IllegalArgumentException("from 1 to " + MAXIMUM_TOKENS + ": tokens=" + tokens);
        }
        if (reclaimEvery < 0 || reclaimInterval.isNegative() || pinLimit.isNegative()) {
            throw new IllegalArgumentException("nothing is negative: reclaimEvery=" + reclaimEvery + " reclaimInterval="
                    + reclaimInterval + " pinLimit=" + pinLimit);
        }
    }

    public EpochSettings tokens(int count) {
        return new EpochSettings(count, reclaimEvery, reclaimInterval, pinLimit);
    }

    public EpochSettings reclaimEvery(int retirements) {
        return new EpochSettings(tokens, retirements, reclaimInterval, pinLimit);
    }

    public EpochSettings reclaimInterval(Duration interval) {
        return new EpochSettings(tokens, reclaimEvery, interval, pinLimit);
    }

    public EpochSettings pinLimit(Duration limit) {
        return new EpochSettings(tokens, reclaimEvery, reclaimInterval, limit);
    }
}
