package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Outcome;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.SequentialSpecification;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stack is linearizable. Each value is pushed once. So pushes of values that are never popped can be left out, and so
 * can values that killed pops have taken. Without both, the order is still one of a stack. The rest is divided where no
 * operation is under way and the stack is empty. The check searches each piece for an order. In a piece that is too
 * long for that, it looks for pairs that left in the wrong order.
 */
final class Stacks {

    private static final long MOST_STEPS = 100_000;

    private Stacks() {}

    /**
     * Values from the top down. Equal piles have the same values in the same order. Piles are compared in a loop,
     * so they may have any depth.
     */
    private static final class Pile {

        private static final Pile NONE = new Pile(Entry.ABSENT, null);

        private final long top;
        private final @Nullable Pile below;
        private final int hash;

        private Pile(long top, @Nullable Pile below) {
            this.top = top;
            this.below = below;
            this.hash = 31 * (below == null ? 0 : below.hash) + Long.hashCode(top);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (!(other instanceof Pile that) || that.hash != hash) {
                return false;
            }
            Pile one = this;
            Pile another = that;
            while (one != another && one != null && another != null) {
                if (one.top != another.top) {
                    return false;
                }
                one = one.below;
                another = another.below;
            }
            return one == another;
        }
    }

    private record Stack() implements SequentialSpecification<Pile, Entry, Long> {

        @Override
        public Pile initial() {
            return Pile.NONE;
        }

        @Override
        public Outcome<Pile, Long> apply(Pile pile, Entry entry) {
            if (entry.verb() == Verb.PUSH) {
                return new Outcome<>(new Pile(entry.argument(), pile), 1L);
            }
            return new Outcome<>(pile.below == null ? pile : pile.below, pile.top);
        }
    }

    /** @param undecided counts the pieces whose search was given up */
    static List<Finding> check(Run run, long[] undecided) {
        List<Finding> findings = new ArrayList<>();
        List<Entry> piece = new ArrayList<>();
        long inside = 0;
        long ended = Long.MIN_VALUE;
        for (Entry entry : complete(run)) {
            if (inside == 0 && ended < entry.called()) {
                judge(run, piece, undecided, findings);
                piece.clear();
            }
            piece.add(entry);
            ended = Math.max(ended, entry.returned());
            inside += entry.verb() == Verb.PUSH ? 1 : entry.result() == Entry.ABSENT ? 0 : -1;
        }
        judge(run, piece, undecided, findings);
        return findings;
    }

    /**
     * Returns the ended operations, by when they were called. A push that did not end counts as ended by its value's
     * pop, if there is one.
     */
    private static List<Entry> complete(Run run) {
        Map<Long, Entry> pops = new HashMap<>();
        List<Entry> all = new ArrayList<>();
        run.of(Structure.STACK, entry -> entry.verb() == Verb.POP && entry.isDone()).forEach(pop -> {
            if (pop.result() == Entry.ABSENT) {
                all.add(pop);
            } else {
                pops.putIfAbsent(pop.result(), pop);
            }
        });
        run.of(Structure.STACK, entry -> entry.verb() == Verb.PUSH && entry.outcome() != Outcome.REFUSED)
                .forEach(push -> {
                    Entry pop = pops.get(push.argument());
                    // A pop that returned before its push was called is found by another check.
                    if (pop != null && push.called() < pop.returned()) {
                        all.add(push.isDone() ? push : ended(push, pop.returned()));
                        all.add(pop);
                    }
                });
        all.sort(Comparator.comparingLong(Entry::called));
        return all;
    }

    private static Entry ended(Entry push, long returned) {
        return new Entry(push.process(), push.thread(), push.structure(), push.verb(), push.key(), push.argument(),
                push.second(), push.called(), returned, Outcome.DONE, 1, 0);
    }

    private static void judge(Run run, List<Entry> piece, long[] undecided, List<Finding> findings) {
        List<Call<Entry, Long>> calls = piece.stream()
                .map(entry -> new Call<>("", entry, entry.called(), entry.returned(), entry.result()))
                .toList();
        switch (Linearizability.judge(calls, new Stack(), MOST_STEPS)) {
            case HOLDS -> {
                // The piece is linearizable.
            }
            case FAILS -> findings.add(run.finding("STACK is not last in, first out", piece));
            case UNDECIDED -> {
                undecided[0]++;
                checkPairs(run, piece, findings);
            }
        }
    }

    /** Checks each value that was pushed on top of another one and was still there when the other one was popped. */
    private static void checkPairs(Run run, List<Entry> piece, List<Finding> findings) {
        Map<Long, Entry> pops = new HashMap<>();
        List<Entry> pushes = new ArrayList<>();
        for (Entry entry : piece) {
            if (entry.verb() == Verb.PUSH) {
                pushes.add(entry);
            } else {
                pops.put(entry.result(), entry);
            }
        }
        for (Entry below : pushes) {
            Entry popOfBelow = pops.get(below.argument());
            for (Entry above : pushes) {
                Entry popOfAbove = pops.get(above.argument());
                if (popOfBelow != null && popOfAbove != null && below.returned() < above.called()
                        && above.returned() < popOfBelow.called() && popOfBelow.returned() < popOfAbove.called()) {
                    findings.add(run.finding("STACK pops what lies below something else",
                            List.of(below, above, popOfBelow, popOfAbove)));
                    return;
                }
            }
        }
    }
}
