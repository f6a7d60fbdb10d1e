package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One thread sends ever larger numbers into a place of a window. A look at the place, at any member, sees the number
 * that was complete last, or a newer one that was begun.
 */
final class Windows {

    private Windows() {}

    static List<Finding> check(Run run) {
        List<Finding> findings = new ArrayList<>();
        Map<Long, List<Entry>> byPlace = run.of(Structure.WINDOW)
                .filter(entry -> entry.verb() != Verb.OPEN)
                .collect(Collectors.groupingBy(Entry::key));
        byPlace.values().forEach(entries -> check(run, entries, findings));
        return findings;
    }

    private static void check(Run run, List<Entry> entries, List<Finding> findings) {
        // The largest number until each time at which a number was known to be complete.
        TreeMap<Long, Entry> complete = new TreeMap<>();
        entries.stream()
                .filter(entry -> entry.verb() == Verb.SEND && entry.isDone())
                .sorted(Comparator.comparingLong(Entry::returned))
                .forEach(entry -> {
                    Map.Entry<Long, Entry> last = complete.lastEntry();
                    complete.put(entry.returned(),
                            last != null && last.getValue().argument() > entry.argument() ? last.getValue() : entry);
                });
        // The numbers by call. They grow with it.
        TreeMap<Long, Entry> begun = new TreeMap<>();
        entries.stream().filter(entry -> entry.verb() == Verb.SEND).forEach(entry -> begun.put(entry.called(), entry));
        for (Entry read : entries) {
            if (read.verb() != Verb.READ || !read.isDone()) {
                continue;
            }
            Map.Entry<Long, Entry> sent = complete.lowerEntry(read.called());
            if (sent != null && read.result() < sent.getValue().argument()) {
                findings.add(run.finding("WINDOW has something older than what was complete",
                        List.of(sent.getValue(), read)));
                return;
            }
            Map.Entry<Long, Entry> newest = begun.lowerEntry(read.returned());
            long largest = newest == null ? 0 : newest.getValue().argument();
            if (read.result() + read.extra() > largest) {
                findings.add(run.finding("WINDOW has what nobody has sent yet",
                        newest == null ? List.of(read) : List.of(newest.getValue(), read)));
                return;
            }
        }
    }
}
