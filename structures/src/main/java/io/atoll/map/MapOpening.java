package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds a map by its name, or creates it. */
final class MapOpening {

    /**
     * Makes the object by which a map does its operations.
     *
     * @param <T> the type of that object
     */
    interface Maker<T> {

        /** @param watch null if promises are not watched over */
        T make(Participant self, Blocks blocks, @Nullable PromiseWatch watch);
    }

    private final String name;
    private final Supplier<Participant> participant;
    private final EpochManager epochs;
    private Capacity capacity = Capacity.DEFAULT;
    private OnLoss onLoss = OnLoss.FAIL;
    private List<Class<?>> watched = List.of(); // the classes through which callers come in

    MapOpening(String name, Supplier<Participant> participant, EpochManager epochs) {
        this.name = name;
        this.participant = participant;
        this.epochs = epochs;
    }

    String name() {
        return name;
    }

    void capacity(Capacity keys) {
        capacity = keys;
    }

    void onLoss(OnLoss becomes) {
        onLoss = becomes;
    }

    /** @param entrances of callers whose promises are watched over */
    void checkedPromises(Class<?>... entrances) {
        watched = List.of(entrances);
    }

    /**
     * Returns a handle of the map as it is configured by now. What is set later does not count any more.
     *
     * @param configuration what two processes must agree on beside the capacity
     * @param pinned true if an operation is pinned even if no block is ever replaced
     */
    <T> Handle<T> handle(String configuration, long bucketBytes, boolean pinned, Maker<T> maker) {
        Capacity keys = capacity;
        List<Class<?>> entrances = watched;
        OnLoss becomes = onLoss;
        return Handle.of(name, becomes, participant, self -> {
            Blocks blocks = keys.open(name, self, epochs, pinned, configuration, bucketBytes, becomes);
            return maker.make(self, blocks,
                    entrances.isEmpty() ? null : PromiseWatch.open(self, name, entrances, MapPromises.values()));
        });
    }
}
