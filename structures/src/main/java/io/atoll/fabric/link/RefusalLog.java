package io.atoll.fabric.link;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which refusals are worth a line in the log. A requester that comes again and again is worth one line. Each
 * kind of refusal is worth a line a minute at most. Otherwise strangers could fill the log. For one thread at a time.
 */
final class RefusalLog {

    static final int UNREPORTED = -1;

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<Refusal, Kind> kinds = new EnumMap<>(Refusal.class);

    /** The last reported refusal of a kind, and how many were not reported since. */
    private static final class Kind {
        private final @Nullable ConnectRequest connectRequest;
        private final long reportedNanos;
        private int others;

        private Kind(@Nullable ConnectRequest connectRequest, long reportedNanos) {
            this.connectRequest = connectRequest;
            this.reportedNanos = reportedNanos;
        }
    }

    /**
     * Notes a refusal.
     *
     * @return {@link #UNREPORTED} if it is not to be reported. Otherwise how many of its kind were not reported since
     * the last report
     */
    int note(@Nullable ConnectRequest connectRequest, Refusal refusal, long nowNanos) {
        Kind last = kinds.get(refusal);
        if (last != null && last.connectRequest != null && connectRequest != null
                && connectRequest.isRepetitionOf(last.connectRequest)) {
            return UNREPORTED;
        }
        if (last != null && nowNanos - last.reportedNanos < INTERVAL_NANOS) {
            last.others++;
            return UNREPORTED;
        }
        kinds.put(refusal, new Kind(connectRequest, nowNanos));
        return last == null ? 0 : last.others;
    }
}
