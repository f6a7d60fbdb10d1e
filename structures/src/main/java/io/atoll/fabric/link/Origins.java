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
 * What is kept for strangers, by where they come from. Those of an origin stand in the order in which they came.
 * Origins of which nothing is kept are forgotten. For one thread. After an error in the middle of a change what was
 * added or removed may still be kept, and can be removed.
 *
 * @param <T> what is kept
 */
public final class Origins<T> {

    private final SequencedMap<Origin, SequencedSet<T>> members = new LinkedHashMap<>(); // none is empty
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

    /** Its origin stands behind the others from now on. Nothing happens if it is not kept. */
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

    /** Returns how many come from there. */
    int count(Origin origin) {
        SequencedSet<T> siblings = members.get(origin);
        return siblings == null ? 0 : siblings.size();
    }

    /** Returns where somebody comes from, in their order. */
    Collection<Origin> all() {
        return members.sequencedKeySet();
    }

    /** Returns where most come from; the first of several. There must be one. */
    public Origin largest() {
        Origin largest = members.firstEntry().getKey();
        for (Origin each : members.keySet()) {
            if (count(each) > count(largest)) {
                largest = each;
            }
        }
        return largest;
    }

    /** Returns the one that came first from there. There must be one. */
    public T oldest(Origin origin) {
        return of(origin).getFirst();
    }

    /** Returns the one that came last from there. There must be one. */
    T newest(Origin origin) {
        return of(origin).getLast();
    }

    private SequencedSet<T> of(Origin origin) {
        return Objects.requireNonNull(members.get(origin));
    }

    /** Returns the one that came first from anywhere; null where nothing is kept. */
    @Nullable T oldest() {
        return origins.isEmpty() ? null : origins.firstEntry().getKey();
    }

    List<T> everything() {
        return List.copyOf(origins.keySet());
    }

    /** Returns where it comes from. It must be kept. */
    Origin origin(T one) {
        return Objects.requireNonNull(origins.get(one));
    }
}
