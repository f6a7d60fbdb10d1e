package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.world.Participant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The epoch managers of simulated processes: several threads of one share what is theirs. Those of simulations that have ended go. */
public final class SharedEpochs {

    private static final int MOST_MANAGERS = 16;

    private final Function<Participant, EpochManager> maker;
    private final Map<Participant, EpochManager> managers = Collections
            .synchronizedMap(new LinkedHashMap<Participant, EpochManager>() {

                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Participant, EpochManager> eldest) {
                    return size() > MOST_MANAGERS;
                }
            });

    public SharedEpochs(Function<Participant, EpochManager> maker) {
        this.maker = maker;
    }

    public EpochManager of(Participant self) {
        // Nothing is held while a manager is made: that takes steps.
        EpochManager known = managers.get(self);
        if (known != null) {
            return known;
        }
        EpochManager made = maker.apply(self);
        EpochManager other = managers.putIfAbsent(self, made);
        return other != null ? other : made;
    }
}
