package io.atoll.view;

import static java.util.stream.Collectors.joining;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a rank knows of the world's views, for observers.
 *
 * @param view by which the rank acts; null until the world is founded
 * @param suspected ranks that it does not hear
 * @param suspicions by suspected rank: which ranks do not hear it, among this rank and the electors that this rank
 * hears
 * @param missing electors that did not answer when the rank last wanted a decision, if too few answered. Empty while it
 * wants no decision, or can have it
 */
public record ViewStatus(@Nullable View view, List<Integer> suspected, SortedMap<Integer, List<Integer>> suspicions,
        List<Integer> missing) {

    static final ViewStatus NONE = new ViewStatus(null, List.of(), new TreeMap<>(), List.of());

    public ViewStatus {
        suspected = List.copyOf(suspected);
        suspicions = Collections.unmodifiableSortedMap(new TreeMap<>(suspicions));
        missing = List.copyOf(missing);
    }

    /** Returns what a decision waits for, if it has to wait. */
    public Optional<String> waiting() {
        View present = view;
        if (present == null || missing.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("no rank is declared dead or added: waits for " + quorum(present)
                + ", of which these do not answer, or have lost their memory: "
                + missing.stream().map(String::valueOf).collect(joining(", ")));
    }

    private static String quorum(View view) {
        List<Integer> electors = view.electors();
        String fewest = view.quorum() + " of the electors " + electors;
        return electors.size() % 2 == 1
                ? fewest
                : fewest + " with rank " + electors.getFirst() + " among them, or for " + (view.quorum() + 1);
    }
}
