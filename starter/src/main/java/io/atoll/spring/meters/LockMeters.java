package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.lock.LockTotals;
import io.atoll.world.NamedStructure;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * What this rank's threads do, and have done, with locks of any rank, as the last look found it. Reading a meter waits
 * for no rank. Tags: {@code world}, {@code rank}, {@code structure}, the table's name.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.lock.acquisitions}</td><td>how often the threads have acquired a lock</td></tr>
 * <tr><td>{@code atoll.lock.wait}</td><td>how often they had to wait, and how long in total</td></tr>
 * <tr><td>{@code atoll.lock.recoveries}</td><td>how often they were told that a thread may have died with a
 * lock</td></tr>
 * <tr><td>{@code atoll.lock.holders}, {@code atoll.lock.waiters}</td><td>locks that they hold at the moment, and
 * threads that wait for one</td></tr>
 * <tr><td>{@code atoll.lock.longest.held}, {@code atoll.lock.longest.wait}</td><td>how long the longest hold and the
 * longest wait have lasted, to a tenth of a second</td></tr>
 * </table>
 */
public final class LockMeters implements MeterBinder {

    private static final String LOCK_TABLE = "lock-table";

    private final World world;
    private final StructureWatch watch;

    public LockMeters(World world, StructureWatch watch) {
        this.world = world;
        this.watch = watch;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        watch.listen(structure -> {
            if (structure.kind().equals(LOCK_TABLE)) {
                bind(registry, structure);
            }
        });
    }

    private void bind(MeterRegistry registry, NamedStructure table) {
        String name = table.name();
        Tags tags = WorldMeters.tags(world).and("structure", name);
        FunctionCounter.builder("atoll.lock.acquisitions", watch, of(name, LockTotals::acquisitions))
                .description("How often this rank's threads have had a lock.")
                .tags(tags)
                .register(registry);
        FunctionTimer.builder("atoll.lock.wait", watch, total(name, LockTotals::waits),
                of(name, totals -> totals.waited().toNanos()), TimeUnit.NANOSECONDS)
                .description("Waits of this rank's threads for locks.")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("atoll.lock.recoveries", watch, of(name, LockTotals::recoveries))
                .description("How often a holder was told that somebody may have died with the lock.")
                .tags(tags)
                .register(registry);
        Gauge.builder("atoll.lock.holders", watch, of(name, LockTotals::holding))
                .description("Locks that this rank's threads hold.")
                .tags(tags)
                .register(registry);
        Gauge.builder("atoll.lock.waiters", watch, of(name, LockTotals::awaiting))
                .description("Threads of this rank that wait for a lock.")
                .tags(tags)
                .register(registry);
        TimeGauge.builder("atoll.lock.longest.held", watch, TimeUnit.MILLISECONDS,
                of(name, totals -> totals.longestHeld().toMillis()))
                .description("How long a thread of this rank has held a lock.")
                .tags(tags)
                .register(registry);
        TimeGauge.builder("atoll.lock.longest.wait", watch, TimeUnit.MILLISECONDS,
                of(name, totals -> totals.longestAwaited().toMillis()))
                .description("How long a thread of this rank waits for a lock.")
                .tags(tags)
                .register(registry);
    }

    private static ToDoubleFunction<StructureWatch> of(String table, ToLongFunction<LockTotals> value) {
        ToLongFunction<StructureWatch> total = total(table, value);
        return total::applyAsLong;
    }

    /** Returns 0 for a table that no longer exists. */
    private static ToLongFunction<StructureWatch> total(String table, ToLongFunction<LockTotals> value) {
        return watch -> {
            LockTotals totals = watch.locks(table);
            return totals == null ? 0 : value.applyAsLong(totals);
        };
    }
}
