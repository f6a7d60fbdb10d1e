package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A counter that goes up by 1 is linearizable under three conditions. No two increments return the same sum. None
 * returns less than an increment that had ended before it was called. No more was added than was requested. This is
 * quick to check, however many threads there are.
 */
final class Counters {

    private Counters() {}

    static List<Finding> check(Run run) {
        List<Finding> findings = new ArrayList<>();
        run.of(Structure.COUNTER)
                .filter(entry -> entry.verb() == Verb.INCREMENT)
                .collect(Collectors.groupingBy(Entry::key, TreeMap::new, Collectors.toList()))
                .forEach((key, entries) -> check(run, "COUNTER " + key, entries, findings));
        return findings;
    }

    private static void check(Run run, String counter, List<Entry> entries, List<Finding> findings) {
        List<Entry> done = entries.stream().filter(Entry::isDone).toList();
        Map<Long, Entry> bySum = new HashMap<>();
        for (Entry entry : done) {
            Entry first = bySum.put(entry.result(), entry);
            if (first != null) {
                findings.add(run.finding(counter + " returns a sum twice", List.of(first, entry)));
                return;
            }
        }
        checkOrder(run, counter, done, findings);
        long open = entries.stream().filter(Entry::isOpen).count();
        List<Entry> sorted = done.stream().sorted(Comparator.comparingLong(Entry::result)).toList();
        for (int smaller = 0; smaller < sorted.size(); smaller++) {
            Entry entry = sorted.get(smaller);
            if (entry.result() - 1 > smaller + open) {
                findings.add(run.finding(counter + " has more than was added: smaller=" + smaller + " open=" + open,
                        List.of(entry)));
                return;
            }
        }
    }

    private static void checkOrder(Run run, String counter, List<Entry> done, List<Finding> findings) {
        List<Entry> ended = done.stream().sorted(Comparator.comparingLong(Entry::returned)).toList();
        int next = 0;
        // The largest of the increments that had ended.
        Entry largest = null;
        for (Entry entry : done.stream().sorted(Comparator.comparingLong(Entry::called)).toList()) {
            while (next < ended.size() && ended.get(next).returned() < entry.called()) {
                Entry earlier = ended.get(next++);
                largest = largest == null || earlier.result() > largest.result() ? earlier : largest;
            }
            if (largest != null && largest.result() > entry.result()) {
                findings.add(run.finding(counter + " goes back", List.of(largest, entry)));
                return;
            }
        }
    }
}
