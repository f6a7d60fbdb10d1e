package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was pushed is popped once: nothing twice, nothing that nobody pushed, and nothing that a push has acknowledged is lost, except to pops that were under way when their process was killed, or that
 * failed. A queue's elements leave in the order in which they came, and it is not empty while it has one.
 */
final class Queues {

    private final Run run;
    private final Structure structure;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<Long, Entry> pushes = new HashMap<>(); // by value
    private final Map<Long, Entry> pops = new HashMap<>();
    private final List<Entry> empty = new ArrayList<>();
    private final List<Entry> openPops = new ArrayList<>();

    private Queues(Run run, Structure structure) {
        this.run = run;
        this.structure = structure;
    }

    static List<Finding> check(Run run, Structure structure) {
        return new Queues(run, structure).check(structure != Structure.STACK);
    }

    private List<Finding> check(boolean inOrder) {
        run.of(structure).forEach(this::sort);
        pops.forEach((value, pop) -> {
            Entry push = pushes.get(value);
            if (push == null) {
                findings.add(run.finding(structure + " pops what nobody pushed", List.of(pop)));
            } else if (push.called() > pop.returned()) {
                findings.add(run.finding(structure + " pops before it is pushed", List.of(pop, push)));
            }
        });
        if (run.drained().contains(structure)) {
            checkLost();
        }
        if (inOrder) {
            checkOrder();
        }
        checkEmpty();
        return findings;
    }

    private void sort(Entry entry) {
        if (entry.verb() == Verb.PUSH) {
            // What was refused, or found no room, is not there.
            if (entry.isOpen() || entry.isDone() && entry.result() == 1) {
                pushes.put(entry.argument(), entry);
            }
        } else if (entry.verb() == Verb.POP) {
            if (entry.isOpen()) {
                openPops.add(entry);
            } else if (entry.isDone() && entry.result() == Entry.ABSENT) {
                empty.add(entry);
            } else if (entry.isDone()) {
                Entry first = pops.put(entry.result(), entry);
                if (first != null) {
                    findings.add(run.finding(structure + " pops an element twice",
                            pushes.containsKey(entry.result())
                                    ? List.of(pushes.get(entry.result()), first, entry)
                                    : List.of(first, entry)));
                }
            }
        }
    }

    private void checkLost() {
        List<Entry> lost = pushes.values()
                .stream()
                .filter(push -> push.isDone() && !pops.containsKey(push.argument()))
                .sorted(Comparator.comparingLong(Entry::called))
                .toList();
        if (lost.size() > openPops.size()) {
            findings.add(run.finding(structure + " has lost elements: lost=" + lost.size() + " openPops="
                    + openPops.size(), lost));
        }
    }

    /** Those that were pushed and popped, by when their push was acknowledged. */
    private List<Entry> acknowledged() {
        return pushes.values()
                .stream()
                .filter(push -> push.isDone() && pops.containsKey(push.argument()))
                .sorted(Comparator.comparingLong(Entry::returned))
                .toList();
    }

    private Entry popOf(Entry push) {
        Entry pop = pops.get(push.argument());
        if (pop == null) {
            throw new IllegalArgumentException("not popped: " + push);
        }
        return pop;
    }

    private void checkOrder() {
        List<Entry> later = pushes.values()
                .stream()
                .filter(push -> pops.containsKey(push.argument()))
                .sorted(Comparator.comparingLong(Entry::called))
                .toList();
        sweep(later, push -> popOf(push).returned(), (earlier, push) -> findings.add(run.finding(
                structure + " is not first in, first out",
                List.of(earlier, push, popOf(push), popOf(earlier)))));
    }

    private void checkEmpty() {
        empty.sort(Comparator.comparingLong(Entry::called));
        sweep(empty, Entry::returned, (earlier, pop) -> findings.add(run.finding(
                structure + " is said to be empty while it has an element", List.of(earlier, pop, popOf(earlier)))));
    }

    private interface End {
        long of(Entry entry);
    }

    private interface Violation {
        void of(Entry earlier, Entry entry);
    }

    /** For each of the sorted entries: no element whose push had returned before it was called is popped by a pop that was called after its end. */
    private void sweep(List<Entry> sorted, End end, Violation violation) {
        List<Entry> acknowledged = acknowledged();
        int next = 0;
        Entry last = null; // to be popped, of those that were there
        for (Entry entry : sorted) {
            while (next < acknowledged.size() && acknowledged.get(next).returned() < entry.called()) {
                Entry push = acknowledged.get(next++);
                last = last == null || popOf(push).called() > popOf(last).called() ? push : last;
            }
            if (last != null && popOf(last).called() > end.of(entry)) {
                violation.of(last, entry);
                return; // one shows it
            }
        }
    }
}
