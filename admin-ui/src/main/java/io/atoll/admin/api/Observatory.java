package io.atoll.admin.api;

import io.atoll.World;
import io.atoll.heap.HeapUsage;
import io.atoll.world.NamedStructure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * What was seen of each rank's segment. However many look at the console, a segment is read at most once in {@link #KEPT}, so that looking on
 * disturbs nobody.
 */
final class Observatory {

    static final Duration KEPT = Duration.ofSeconds(1);

    private record Seen<T>(Optional<T> what, long atNanos) {

        boolean isRecent() {
            return System.nanoTime() - atNanos < KEPT.toNanos();
        }
    }

    private final World world;
    private final Map<Integer, Seen<HeapUsage>> heaps = new ConcurrentHashMap<>();
    private final Map<Integer, Seen<List<NamedStructure>>> directories = new ConcurrentHashMap<>();

    Observatory(World world) {
        this.world = world;
    }

    long segmentBytes() {
        return world.inspection().segmentBytes();
    }

    Optional<HeapUsage> heapUsage(int rank) {
        return look(heaps, rank, world.inspection()::heapUsage);
    }

    Optional<List<NamedStructure>> structures(int rank) {
        return look(directories, rank, world.inspection()::structures);
    }

    /** One caller looks, those who come meanwhile wait for what it sees. */
    private static <T> Optional<T> look(Map<Integer, Seen<T>> seen, int rank, IntFunction<Optional<T>> look) {
        return seen.compute(rank, (_, before) -> before != null && before.isRecent()
                ? before
                : new Seen<>(look.apply(rank), System.nanoTime())).what();
    }
}
