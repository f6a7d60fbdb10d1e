package io.atoll.fabric.link;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts the attempts to connect that were refused. Any thread may use it. */
public final class Refusals {

    private final LongAdder[] counts = Stream.generate(LongAdder::new)
            .limit(Refusal.values().length)
            .toArray(LongAdder[]::new);

    public void count(Refusal refusal) {
        counts[refusal.ordinal()].increment();
    }

    /** Returns the counts by reason, named as in configuration and meters. */
    public Map<String, Long> byReason() {
        Map<String, Long> byReason = new TreeMap<>();
        Arrays.stream(Refusal.values())
                .forEach(refusal -> byReason.put(refusal.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        counts[refusal.ordinal()].sum()));
        return byReason;
    }
}
