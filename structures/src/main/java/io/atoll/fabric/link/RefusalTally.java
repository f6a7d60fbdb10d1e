package io.atoll.fabric.link;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which refusals are worth a line in the log. It reports a requester that comes again and again only once, and
 * each kind of refusal at most once a minute. Otherwise strangers could fill the log. For one thread at a time.
 */
final class RefusalTally {

    static final int UNREPORTED = -1;

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<Refusal, Kind> kinds = new EnumMap<>(Refusal.class);

    /** The last reported refusal of a kind, and how many were not reported since. */
    private static final class Kind {
        private final @Nullable Request request;
        private final long reportedNanos;
        private int others;

        private Kind(@Nullable Request request, long reportedNanos) {
            this.request = request;
            this.reportedNanos = reportedNanos;
        }
    }

    /**
     * Notes a refusal.
     *
     * @return {@link #UNREPORTED} if it is not to be reported; otherwise how many of its kind were not reported since
     * the last report
     */
    int note(@Nullable Request request, Refusal refusal, long nowNanos) {
        Kind last = kinds.get(refusal);
        if (last != null && last.request != null && request != null && request.isRepetitionOf(last.request)) {
            return UNREPORTED;
        }
        if (last != null && nowNanos - last.reportedNanos < INTERVAL_NANOS) {
            last.others++;
            return UNREPORTED;
        }
        kinds.put(refusal, new Kind(request, nowNanos));
        return last == null ? 0 : last.others;
    }
}
