package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A filter never denies an added element. For each element, at most one call returns that it was new. */
final class Filters {

    private Filters() {}

    static List<Finding> check(Run run) {
        List<Finding> findings = new ArrayList<>();
        Map<Long, List<Entry>> byKey = run.of(Structure.FILTER, Entry::isDone)
                .stream()
                .filter(entry -> entry.verb() != Verb.OPEN)
                .collect(Collectors.groupingBy(Entry::key));
        byKey.values().forEach(entries -> {
            List<Entry> adds = entries.stream()
                    .filter(entry -> entry.verb() == Verb.ADD)
                    .sorted(Comparator.comparingLong(Entry::returned))
                    .toList();
            if (!adds.isEmpty()) {
                check(run, adds, entries, findings);
            }
        });
        return findings;
    }

    private static void check(Run run, List<Entry> adds, List<Entry> entries, List<Finding> findings) {
        Entry first = adds.getFirst();
        for (Entry entry : entries) {
            boolean after = entry.called() > first.returned();
            if (after && entry.verb() == Verb.CONTAINS && entry.result() == 0) {
                findings.add(run.finding("FILTER denies what was added", List.of(first, entry)));
            }
            if (after && entry.verb() == Verb.ADD && entry.result() == 1) {
                findings.add(run.finding("FILTER calls new what was added before", List.of(first, entry)));
            }
        }
        List<Entry> news = adds.stream().filter(add -> add.result() == 1).toList();
        if (news.size() > 1) {
            findings.add(run.finding("FILTER calls an element new twice", news));
        }
    }
}
