package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Each pushed element is popped once. No element is popped twice, or without a push. An element whose push was
 * acknowledged is never lost, except to pops that failed, or whose process was killed meanwhile. Elements leave a queue
 * in the order in which they came. A queue with an element is not empty.
 */
final class Queues {

    private final Run run;
    private final Structure structure;
    private final List<Finding> findings = new ArrayList<>();
    // The pushes by value.
    private final Map<Long, Entry> pushes = new HashMap<>();
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
            checkBatches();
        }
        checkEmpty();
        return findings;
    }

    private void sort(Entry entry) {
        if (entry.verb() == Verb.PUSH) {
            // An element whose push was refused or found no room is not in the queue.
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

    /** Returns the elements that were pushed and popped, by when their push was acknowledged. */
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

    /** No element is popped after another one whose push was called when its own had returned. */
    private void checkOrder() {
        List<Entry> later = pushes.values()
                .stream()
                .filter(push -> pops.containsKey(push.argument()))
                .sorted(Comparator.comparingLong(Entry::called))
                .toList();
        List<Entry> acknowledged = acknowledged();
        int next = 0;
        // The element that was popped last, among those that were in the queue.
        Entry last = null;
        for (Entry push : later) {
            while (next < acknowledged.size() && acknowledged.get(next).returned() < push.called()) {
                Entry earlier = acknowledged.get(next++);
                last = last == null || popOf(earlier).called() > popOf(last).called() ? earlier : last;
            }
            if (last != null && popOf(last).called() > popOf(push).returned()) {
                findings.add(run.finding(structure + " is not first in, first out",
                        List.of(last, push, popOf(push), popOf(last))));
                // One finding is enough.
                return;
            }
        }
    }

    /** Elements that were pushed or popped at once keep their order. */
    private void checkBatches() {
        Map<Batch, Entry> last = new HashMap<>();
        inOrder(pushes.values(), Entry::argument).forEach(push -> {
            Entry before = last.put(Batch.of(push), push);
            if (before != null && pops.containsKey(before.argument()) && pops.containsKey(push.argument())) {
                Entry first = popOf(before);
                Entry second = popOf(push);
                if (second.returned() < first.called()
                        || Batch.of(second).equals(Batch.of(first)) && second.second() != 0
                                && second.argument() < first.argument()) {
                    findings.add(run.finding(structure + " changes the order of what was pushed at once",
                            List.of(before, push, first, second)));
                }
            }
        });
        last.clear();
        inOrder(pops.values(), Entry::argument).forEach(pop -> {
            Entry before = last.put(Batch.of(pop), pop);
            Entry push = pushes.get(pop.result());
            Entry pushBefore = before == null ? null : pushes.get(before.result());
            if (before != null && push != null && pushBefore != null && push.returned() < pushBefore.called()) {
                findings.add(run.finding(structure + " pops at once, but not in order",
                        List.of(push, pushBefore, before, pop)));
            }
        });
    }

    /** Elements that were moved together. */
    private record Batch(int process, int thread, long number) {
        static Batch of(Entry entry) {
            return new Batch(entry.process(), entry.thread(), entry.second());
        }
    }

    private static Stream<Entry> inOrder(Collection<Entry> entries, ToLongFunction<Entry> place) {
        return entries.stream().filter(entry -> entry.second() != 0).sorted(Comparator.comparingLong(place));
    }

    /** A pop that returned nothing is wrong if the queue certainly had an element at each moment of it. */
    private void checkEmpty() {
        // Times without gaps, from begin to end.
        TreeMap<Long, Long> certain = new TreeMap<>();
        acknowledged().forEach(push -> {
            long from = push.returned();
            long to = popOf(push).called();
            Map.Entry<Long, Long> before = certain.lastEntry();
            if (to > from) {
                boolean meets = before != null && before.getValue() > from;
                certain.merge(meets ? before.getKey() : from, to, Math::max);
            }
        });
        for (Entry pop : empty) {
            Map.Entry<Long, Long> covering = certain.lowerEntry(pop.called());
            if (covering != null && covering.getValue() > pop.returned()) {
                List<Entry> shown = acknowledged().stream()
                        .filter(push -> push.returned() < pop.returned() && popOf(push).called() > pop.called())
                        .toList();
                findings.add(run.finding(structure + " is said to be empty while it has an element",
                        Stream.concat(Stream.of(pop), shown.stream()).toList()));
                // One finding is enough.
                return;
            }
        }
    }
}
