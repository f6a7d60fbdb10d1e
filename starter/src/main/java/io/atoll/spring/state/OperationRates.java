package io.atoll.spring.state;

import io.atoll.history.RankHistory;
import io.atoll.world.NamedStructure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operations per second of structures. Sums up all ranks whose processes write down their operations. */
final class OperationRates {

    /** Older entries say nothing about the present. */
    private static final long STALE_MILLIS = 5_000;

    private final Map<Long, Double> byNameHash = new HashMap<>();
    private boolean isAnyKnown;
    private boolean areAllListed = true;

    /** @param nowNanos the present time by this process's nanosecond clock */
    static OperationRates of(List<SeenHistory> histories, long nowNanos) {
        OperationRates rates = new OperationRates();
        histories.stream()
                .filter(seen -> seen.origin() == HistoryState.Origin.LIVE && seen.ageMillis(nowNanos) <= STALE_MILLIS)
                .forEach(seen -> rates.add(seen.history().operations()));
        return rates;
    }

    private void add(RankHistory.Operations operations) {
        for (RankHistory.Operations.Listed each : operations.listed()) {
            operations.perSecond(each.counts())
                    .ifPresent(rate -> byNameHash.merge(each.nameHash(), rate, Double::sum));
        }
        isAnyKnown |= operations.perSecond(operations.others()).isPresent();
        areAllListed &= operations.isComplete();
    }

    /**
     * Returns null if the rate is not known. This includes a structure that some rank uses so little that it does not
     * list it.
     */
    @Nullable Double of(String structure) {
        Double rate = byNameHash.get(NamedStructure.hash(structure));
        return rate != null ? rate : isAnyKnown && areAllListed ? Double.valueOf(0) : null;
    }
}
