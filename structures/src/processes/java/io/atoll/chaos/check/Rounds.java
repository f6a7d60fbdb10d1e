package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All ranks that see the same contribution to an exchange or a reduction see the same of all other ranks. In a round
 * that ended well everywhere, each element that was pushed into a fast queue was popped once.
 */
final class Rounds {

    private Rounds() {}

    static List<Finding> check(Run run) {
        List<Finding> findings = new ArrayList<>();
        List<Entry> entries = run.of(Structure.EXCHANGE).toList();
        checkAlike(run, Structure.EXCHANGE, findings);
        checkAlike(run, Structure.REDUCTION, findings);
        Set<Long> clean = entries.stream()
                .filter(entry -> entry.verb() == Verb.CLEAN)
                .map(Entry::key)
                .collect(Collectors.toSet());
        Map<Long, Map<Long, List<Entry>>> byRound = new HashMap<>();
        for (Entry entry : entries) {
            boolean moved = entry.isDone() && (entry.verb() == Verb.PUSH && entry.result() == 1
                    || entry.verb() == Verb.POP && entry.result() != Entry.ABSENT);
            if (moved && clean.contains(entry.key())) {
                byRound.computeIfAbsent(entry.key(), _ -> new HashMap<>())
                        .computeIfAbsent(entry.verb() == Verb.PUSH ? entry.argument() : entry.result(),
                                _ -> new ArrayList<>())
                        .add(entry);
            }
        }
        byRound.forEach((round, values) -> values.values().forEach(moves -> {
            long pushed = moves.stream().filter(move -> move.verb() == Verb.PUSH).count();
            if (pushed != 1 || moves.size() != 2) {
                findings.add(run.finding("FAST_QUEUE does not deliver once: round=" + round, moves));
            }
        }));
        return findings;
    }

    private static void checkAlike(Run run, Structure structure, List<Finding> findings) {
        Map<Long, Entry> seen = new HashMap<>();
        run.of(structure).filter(entry -> entry.verb() == Verb.SEE).forEach(entry -> {
            Entry first = seen.putIfAbsent(entry.key(), entry);
            if (first != null && first.argument() != entry.argument()) {
                findings.add(run.finding(structure + " brings different results", List.of(first, entry)));
            }
        });
    }
}
