package io.atoll.fabric.link;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Things that are kept for strangers, grouped by origin. Those of one origin stand in the order in which they came. An
 * origin without any is forgotten. For one thread. If an error interrupts a change, the thing that was being added or
 * removed may still be kept. It can then be removed again.
 *
 * @param <T> what is kept
 */
public final class Origins<T> {

    private final SequencedMap<Origin, SequencedSet<T>> members = new LinkedHashMap<>(); // no set is empty
    private final SequencedMap<T, Origin> origins = new LinkedHashMap<>(); // in the order in which they came

    public void add(Origin origin, T one) {
        origins.put(one, origin);
        SequencedSet<T> siblings = members.get(origin);
        if (siblings == null) {
            siblings = new LinkedHashSet<>();
            siblings.add(one);
            members.put(origin, siblings);
        } else {
            siblings.add(one);
        }
    }

    /** Removes it, if it is kept. Its origin moves behind the other origins. */
    public void remove(T one) {
        Origin origin = origins.get(one);
        SequencedSet<T> siblings = origin == null ? null : members.get(origin);
        if (origin != null && siblings != null && siblings.contains(one)) {
            if (siblings.size() == 1) {
                members.remove(origin);
            } else {
                siblings.remove(one);
                members.putLast(origin, siblings);
            }
        }
        origins.remove(one); // last: after an error it can be removed again
    }

    public int size() {
        return origins.size();
    }

    /** Returns how many come from this origin. */
    int count(Origin origin) {
        SequencedSet<T> siblings = members.get(origin);
        return siblings == null ? 0 : siblings.size();
    }

    /** Returns the origins that have any, in their order. */
    Collection<Origin> all() {
        return members.sequencedKeySet();
    }

    /** Returns the origin that has most; the first of several. There must be one. */
    public Origin largest() {
        Origin largest = members.firstEntry().getKey();
        for (Origin each : members.keySet()) {
            if (count(each) > count(largest)) {
                largest = each;
            }
        }
        return largest;
    }

    /** Returns the first one that came from this origin. There must be one. */
    public T oldest(Origin origin) {
        return of(origin).getFirst();
    }

    /** Returns the last one that came from this origin. There must be one. */
    T newest(Origin origin) {
        return of(origin).getLast();
    }

    private SequencedSet<T> of(Origin origin) {
        return Objects.requireNonNull(members.get(origin));
    }

    /** Returns the first one that came from any origin, or null if there is none. */
    @Nullable T oldest() {
        return origins.isEmpty() ? null : origins.firstEntry().getKey();
    }

    List<T> everything() {
        return List.copyOf(origins.keySet());
    }

    /** Returns the origin of one that is kept. */
    Origin origin(T one) {
        return Objects.requireNonNull(origins.get(one));
    }
}
