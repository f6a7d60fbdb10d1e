package io.atoll.chaos;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Outcome;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Histories that processes of a faulty world would have written. With them a test shows that the faults are found. */
final class HistoryFaults {

    // A process that does not exist.
    private static final int NOBODY = 99;
    private static final long NEVER_PUT = 987_654_321_987L;

    private final List<Entry> entries;

    private HistoryFaults(List<Entry> entries) {
        this.entries = entries;
    }

    /** Returns wrong histories, by the words of the finding. */
    static Map<String, List<Entry>> of(List<Entry> right) {
        HistoryFaults faults = new HistoryFaults(right);
        return new TreeMap<>(Map.of(
                "returns a sum twice", faults.anAdditionIsLost(),
                "has more than was added", faults.additionsAreMadeTwice(),
                "is held by two", faults.aLockIsHeldTwice(),
                "has lost elements", faults.elementsAreLost(),
                "pops an element twice", faults.anElementIsDoubled(),
                "is not linearizable", faults.aMapIsWrong()));
    }

    private Stream<Entry> done(Structure structure, Verb verb) {
        return entries.stream()
                .filter(entry -> entry.structure() == structure && entry.verb() == verb
                        && entry.isDone() && entry.result() != Entry.ABSENT);
    }

    private List<Entry> with(Entry... more) {
        List<Entry> all = new ArrayList<>(entries);
        all.addAll(List.of(more));
        return all;
    }

    private List<Entry> without(Predicate<Entry> which) {
        return entries.stream().filter(which.negate()).toList();
    }

    /** Returns a new entry like another one. */
    private static Entry like(Entry entry, int process, long called, long returned, long result) {
        return new Entry(process, entry.thread(), entry.structure(), entry.verb(), entry.key(), entry.argument(),
                entry.second(), called, returned, Outcome.DONE, result, entry.extra());
    }

    private Entry last(Structure structure, Verb verb) {
        return done(structure, verb).max(Comparator.comparingLong(Entry::result)).orElseThrow();
    }

    private List<Entry> anAdditionIsLost() {
        Entry increment = last(Structure.COUNTER, Verb.INCREMENT);
        return with(like(increment, NOBODY, increment.called(), increment.returned(), increment.result()));
    }

    private List<Entry> additionsAreMadeTwice() {
        Entry increment = last(Structure.COUNTER, Verb.INCREMENT);
        return with(like(increment, NOBODY, increment.returned() + 1, increment.returned() + 2,
                2 * increment.result() + entries.size()));
    }

    private List<Entry> aLockIsHeldTwice() {
        Entry released = done(Structure.MCS, Verb.RELEASE).findFirst().orElseThrow();
        Entry acquired = done(Structure.MCS, Verb.ACQUIRE)
                .filter(entry -> entry.process() == released.process() && entry.thread() == released.thread()
                        && entry.key() == released.key() && entry.result() == released.argument())
                .findFirst()
                .orElseThrow();
        long within = acquired.returned() + (released.called() - acquired.returned()) / 2;
        return with(like(acquired, NOBODY, acquired.called(), within, acquired.result()));
    }

    private List<Entry> elementsAreLost() {
        long pops = entries.stream()
                .filter(entry -> entry.structure() == Structure.LONG_QUEUE && entry.verb() == Verb.POP
                        && entry.isOpen())
                .count();
        List<Entry> lost = done(Structure.LONG_QUEUE, Verb.POP).limit(pops + 1).toList();
        return without(lost::contains);
    }

    private List<Entry> anElementIsDoubled() {
        Entry pop = done(Structure.LONG_QUEUE, Verb.POP).findFirst().orElseThrow();
        return with(like(pop, NOBODY, pop.returned() + 1, pop.returned() + 2, pop.result()));
    }

    private List<Entry> aMapIsWrong() {
        Entry find = done(Structure.LONG_MAP, Verb.FIND).findFirst().orElseThrow();
        return with(like(find, NOBODY, find.returned() + 1, find.returned() + 2, NEVER_PUT));
    }
}
