package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Backoff;
import io.atoll.world.Participant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The epoch managers of simulated processes. The threads of one process share its manager. A process makes only one
 * manager. A second one would take the first one's tokens for those of an earlier life. Managers of simulations that
 * have ended go.
 */
public final class SharedEpochs {

    private static final int MOST_MANAGERS = 16;

    /** The place of one process's manager. */
    private static final class Place {

        private final AtomicBoolean isBeingMade = new AtomicBoolean();
        private volatile @Nullable EpochManager made;
    }

    private final Function<Participant, EpochManager> maker;
    private final Map<Participant, Place> places = Collections.synchronizedMap(new LinkedHashMap<Participant, Place>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Participant, Place> eldest) {
            return size() > MOST_MANAGERS;
        }
    });

    public SharedEpochs(Function<Participant, EpochManager> maker) {
        this.maker = maker;
    }

    public EpochManager of(Participant self) {
        Place place = places.computeIfAbsent(self, _ -> new Place());
        // No lock is held while a manager is made: that takes steps of the simulation, and so does waiting for it.
        var backoff = new Backoff(self.endpoint().clock(), Backoff.UNBOUNDED);
        EpochManager known = place.made;
        while (known == null) {
            if (place.isBeingMade.compareAndSet(false, true)) {
                known = make(place, self);
            } else {
                backoff.pause();
                known = place.made;
            }
        }
        return known;
    }

    /** Makes the manager. If that fails, another thread may try. */
    private EpochManager make(Place place, Participant self) {
        try {
            EpochManager known = place.made;
            EpochManager made = known == null ? maker.apply(self) : known;
            place.made = made;
            return made;
        } finally {
            place.isBeingMade.set(false);
        }
    }
}
