package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The configuration that a map is opened with. */
abstract class MapBuilder<S, B extends MapBuilder<S, B>> extends StructureBuilder<S, B> {

    /**
     * Makes the object by which a map does its operations.
     *
     * @param <T> the type of that object
     */
    interface Maker<T> {

        /** @param watch null if promises are not watched over */
        T make(Participant self, Blocks blocks, @Nullable PromiseWatch watch);
    }

    private final EpochManager epochs;
    private final List<Class<?>> entrances;
    private Capacity capacity = Capacity.DEFAULT;
    private boolean checked;

    /** @param entrances the classes through which callers come in */
    MapBuilder(String name, Supplier<Participant> participant, EpochManager epochs, Class<?>... entrances) {
        super(name, participant);
        this.epochs = epochs;
        this.entrances = List.of(entrances);
    }

    /**
     * Sets how many keys the map has room for at first, over all ranks. Defaults to 65,536. The map grows. At a rank
     * that has no room for its part when the first key comes, it begins smaller. To open a map with more than the
     * default fails with a {@link io.atoll.failure.SegmentFullException} if a segment with nothing in it has no room
     * for that part.
     */
    public B capacity(long keys) {
        capacity = new Capacity(keys, false);
        return self();
    }

    /**
     * Sets how many keys the map must hold, over all ranks, for good; removed keys count too. A map that does not grow
     * costs less, and fails an insertion when it is full.
     */
    public B fixedCapacity(long keys) {
        capacity = new Capacity(keys, true);
        return self();
    }

    /**
     * Sets what becomes of the keys of a rank that has lost its segment. By default, operations on them fail with a
     * {@link io.atoll.failure.SegmentLostException}, and the map cannot be opened any more. With {@link OnLoss#EMPTY}
     * the rank's part begins empty: for maps that can be filled again, such as caches.
     */
    @Override
    public B onLoss(OnLoss becomes) {
        return super.onLoss(becomes);
    }

    /**
     * Watches over promises. Suppose that between the same two barriers an operation breaks what the caller of another
     * one has promised. Then one of the two fails with a {@link io.atoll.promise.BrokenPromiseException} that names
     * both callers. This is for tests and trials. All ranks must ask for it; ranks that do not are not seen. Cost: 2 W
     * + R for each rank more for the first operation of a kind after a barrier; nothing more for all others.
     */
    public B checkedPromises() {
        checked = true;
        return self();
    }

    /**
     * Returns a handle of the map as it is configured by now. What is set later does not count any more.
     *
     * @param configuration what two processes must agree on beside the capacity
     * @param pinned true if an operation is pinned even if no block is ever replaced
     */
    final <T> Handle<T> handle(String configuration, long bucketBytes, boolean pinned, Maker<T> maker) {
        String map = name();
        Capacity keys = capacity;
        boolean watches = checked;
        OnLoss becomes = onLoss();
        return handle(self -> {
            Blocks blocks = keys.open(map, self, epochs, pinned, configuration, bucketBytes, becomes);
            return maker.make(self, blocks,
                    watches ? PromiseWatch.open(self, map, entrances, MapPromises.values()) : null);
        });
    }
}
