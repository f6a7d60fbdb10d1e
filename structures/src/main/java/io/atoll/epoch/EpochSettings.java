package io.atoll.epoch;

import java.time.Duration;

/**
 * How an epoch manager works in one process. Whatever is set, each 1/16 of a segment's bytes that is retired makes a thread try to reclaim when its operation has ended.
 *
 * @param tokens that threads of a rank can have registered at the same time; the same at every rank
 * @param reclaimEvery after so many retirements by one token it tries to reclaim by itself, when it is unpinned; 0 for never
 * @param reclaimInterval a thread of its own tries to reclaim that often; zero for never
 * @param pinLimit a token that has been pinned for longer is reported. It is waited for all the same
 */
public record EpochSettings(int tokens, int reclaimEvery, Duration reclaimInterval, Duration pinLimit) {

    /** Tokens of a rank, at most: what one buffer of a scan holds. */
    public static final int MAXIMUM_TOKENS = 480;

    /** 256 tokens, a limit of 10 s, and nothing by itself as long as little is retired. */
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
