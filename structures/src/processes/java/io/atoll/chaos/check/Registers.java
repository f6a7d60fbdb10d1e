package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Outcome;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Linearizability.Verdict;
import io.atoll.fabric.sim.SequentialSpecification;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Each key of a map and each element of an array is a linearizable register. An operation that failed, or whose process
 * was killed meanwhile, may take effect at any later time, or never.
 */
final class Registers {

    private static final long MOST_STEPS = 300_000;

    private Registers() {}

    /** A register. At first it has no value, or 0. */
    private record Register(long begin) implements SequentialSpecification<Long, Entry, Long> {

        @Override
        public Long initial() {
            return begin;
        }

        @Override
        public Outcome<Long, Long> apply(Long boxed, Entry entry) {
            long state = boxed;
            long argument = entry.argument();
            boolean absent = state == Entry.ABSENT;
            return switch (entry.verb()) {
                case FIND -> outcome(state, state);
                case PUT -> outcome(argument, absent ? 1 : 0);
                case INSERT -> absent ? outcome(argument, 1) : outcome(state, 0);
                case GET_AND_PUT -> outcome(argument, state);
                case REPLACE -> outcome(absent ? state : argument, state);
                case INCREMENT -> outcome((absent ? 0 : state) + argument, (absent ? 0 : state) + argument);
                case GET_AND_ADD -> outcome(state + argument, state);
                case COMPARE_AND_SET -> state == argument ? outcome(entry.second(), 1) : outcome(state, 0);
                case COMPARE_AND_EXCHANGE -> outcome(state == argument ? entry.second() : state, state);
                case REMOVE -> outcome(Entry.ABSENT, state);
                case SET -> outcome(argument, 0);
                default -> throw new IllegalArgumentException("no operation of a register: " + entry);
            };
        }

        private static Outcome<Long, Long> outcome(long state, long result) {
            return new Outcome<>(state, result);
        }
    }

    /** The number of the object that an atomic object refers to, in the bits above the count of its changes. */
    private record CountedRegister() implements SequentialSpecification<Long, Entry, Long> {

        private static final int COUNT_BITS = 16;
        private static final long COUNT = (1L << COUNT_BITS) - 1;

        @Override
        public Long initial() {
            return 0L;
        }

        @Override
        public Outcome<Long, Long> apply(Long boxed, Entry entry) {
            long state = boxed;
            return switch (entry.verb()) {
                case FIND -> new Outcome<>(state, state);
                case SET -> new Outcome<>(changed(state, entry.argument()), 0L);
                case GET_AND_PUT -> new Outcome<>(changed(state, entry.argument()), state);
                case SWAP -> exchanged(state, state >>> COUNT_BITS == entry.argument(), entry.second());
                case COMPARE_AND_SET -> exchanged(state, state == entry.argument(), entry.second());
                default -> throw new IllegalArgumentException("no operation of an atomic object: " + entry);
            };
        }

        private static long changed(long state, long object) {
            return object << COUNT_BITS | state + 1 & COUNT;
        }

        private static Outcome<Long, Long> exchanged(long state, boolean equal, long object) {
            return equal ? new Outcome<>(changed(state, object), 1L) : new Outcome<>(state, 0L);
        }
    }

    private static SequentialSpecification<Long, Entry, Long> specification(Structure structure) {
        return switch (structure) {
            case ATOMIC_OBJECT -> new CountedRegister();
            case LONG_ARRAY, ELEMENT_ARRAY, HOSTED_ARRAY -> new Register(0);
            default -> new Register(Entry.ABSENT);
        };
    }

    /** @param undecided counts the keys whose search was given up */
    static List<Finding> check(Run run, Structure structure, long[] undecided) {
        List<Finding> findings = new ArrayList<>();
        SequentialSpecification<Long, Entry, Long> register = specification(structure);
        Map<Long, List<Entry>> byKey = run.of(structure)
                .filter(entry -> entry.verb() != Verb.OPEN && entry.outcome() != Outcome.REFUSED)
                .collect(Collectors.groupingBy(Entry::key, TreeMap::new, Collectors.toList()));
        byKey.forEach((key, entries) -> {
            entries.sort(Comparator.comparingLong(Entry::called));
            switch (judge(entries, register)) {
                case FAILS -> findings.add(run.finding(structure + " is not linearizable: key=" + key,
                        shortest(entries, register)));
                case UNDECIDED -> undecided[0]++;
                case HOLDS -> {
                    // The history is linearizable.
                }
            }
        });
        return findings;
    }

    private static Verdict judge(List<Entry> entries,
            SequentialSpecification<Long, Entry, Long> register) {
        List<Call<Entry, Long>> calls = new ArrayList<>();
        for (Entry entry : entries) {
            calls.add(entry.isDone()
                    ? new Call<>("", entry, entry.called(), entry.returned(), entry.result())
                    : new Call<>("", entry, entry.called(), History.NEVER, null));
        }
        return Linearizability.judge(calls, register, MOST_STEPS);
    }

    /**
     * Returns the shortest beginning that shows the fault, without finds and failures that do not matter. Operations
     * that had not returned by then are under way.
     */
    private static List<Entry> shortest(List<Entry> entries,
            SequentialSpecification<Long, Entry, Long> register) {
        List<Long> ends = entries.stream().filter(Entry::isDone).map(Entry::returned).sorted().toList();
        int low = 0;
        int high = ends.size() - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (judge(until(entries, ends.get(middle)), register) == Verdict.FAILS) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        List<Entry> history = new ArrayList<>(until(entries, ends.get(high)));
        for (int index = history.size() - 1; index >= 0; index--) {
            Entry entry = history.get(index);
            if (entry.verb() == Verb.FIND || entry.isOpen()) {
                List<Entry> without = new ArrayList<>(history);
                without.remove(index);
                if (entry.isOpen() ? entry.verb() == Verb.FIND : judge(without, register) == Verdict.FAILS) {
                    history = without;
                }
            }
        }
        return history;
    }

    private static List<Entry> until(List<Entry> entries, long end) {
        return entries.stream()
                .filter(entry -> entry.called() <= end)
                .map(entry -> entry.isDone() && entry.returned() > end ? open(entry) : entry)
                .toList();
    }

    private static Entry open(Entry entry) {
        return new Entry(entry.process(), entry.thread(), entry.structure(), entry.verb(), entry.key(),
                entry.argument(), entry.second(), entry.called(), Entry.NEVER, Outcome.PENDING, 0, 0);
    }
}
