package io.atoll.fabric.sim;

import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.SequentialSpecification.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides if a history is linearizable. It is if its operations have one order in which a specification gives the
 * results that were seen. Each operation has its place between its call and its return. Operations that never returned
 * may have a place in it or none.
 *
 * <p>It uses the search of Wing and Gong ("Testing and verifying concurrent objects", 1993) with the memory of Lowe
 * ("Testing for linearizability", 2017): the rest after the same operations in another order, with the same state, is
 * not searched twice. If a specification treats keys independently, a history is judged key by key, which makes long
 * ones cheap (Horn and Kroening, "Faster linearizability checking via P-compositionality", 2015).
 */
public final class Linearizability {

    private Linearizability() {}

    /** @throws AssertionError with the history, if it is not linearizable */
    public static <S, O, R> void check(History<O, R> history, SequentialSpecification<S, O, R> specification) {
        refuse(history.calls(), specification, "");
    }

    /**
     * As {@link #check}, each key by itself.
     *
     * @param specification of one key
     */
    public static <S, O, R, K> void checkPerKey(History<O, R> history, Function<O, K> key,
            SequentialSpecification<S, O, R> specification) {
        Map<K, List<Call<O, R>>> callsByKey = new LinkedHashMap<>();
        for (Call<O, R> call : history.calls()) {
            callsByKey.computeIfAbsent(key.apply(call.operation()), any -> new ArrayList<>()).add(call);
        }
        callsByKey.forEach((one, calls) -> refuse(calls, specification, ": key=" + one));
    }

    private static <S, O, R> void refuse(List<Call<O, R>> calls, SequentialSpecification<S, O, R> specification,
            String of) {
        if (!holds(calls, specification)) {
            StringBuilder text = new StringBuilder("not linearizable" + of);
            calls.forEach(call -> text.append('\n').append(call));
            throw new AssertionError(text);
        }
    }

    /** Returns true if the calls are linearizable. */
    public static <S, O, R> boolean holds(List<Call<O, R>> calls, SequentialSpecification<S, O, R> specification) {
        return judge(calls, specification, Long.MAX_VALUE) == Verdict.HOLDS;
    }

    /** The result of a bounded search. */
    public enum Verdict {
        HOLDS, FAILS,
        /** The search was given up. */
        UNDECIDED
    }

    /**
     * Judges if the calls are linearizable, as far as a bounded search finds it.
     *
     * @param mostSteps the number of times that it places a call in the order, or takes it back
     */
    public static <S, O, R> Verdict judge(List<Call<O, R>> calls, SequentialSpecification<S, O, R> specification,
            long mostSteps) {
        return new Search<>(calls, specification).search(mostSteps);
    }

    /** A call or a return, in the list of those that are not yet in the order. */
    private static final class Event<O, R> {
        final int index;
        final Call<O, R> call;
        final @Nullable Event<O, R> end; // of a call that returned
        final boolean isCall;
        @Nullable Event<O, R> previous;
        @Nullable Event<O, R> next;

        Event(int index, Call<O, R> call, boolean isCall, @Nullable Event<O, R> end) {
            this.index = index;
            this.call = call;
            this.isCall = isCall;
            this.end = end;
        }

        long time() {
            return isCall ? call.called() : call.returned();
        }

        void unlink() {
            Objects.requireNonNull(previous).next = next;
            if (next != null) {
                next.previous = previous;
            }
        }

        void relink() {
            Objects.requireNonNull(previous).next = this;
            if (next != null) {
                next.previous = this;
            }
        }
    }

    private record Visited<S>(BitSet placed, S state) {}

    private record Placed<S, O, R>(Event<O, R> call, S stateBefore) {}

    private static final class Search<S, O, R> {

        private final SequentialSpecification<S, O, R> specification;
        private final Event<O, R> head; // of the calls that returned, and of their returns
        private final Event<O, R> pending; // of the calls that did not return
        private final Set<Visited<S>> visited = new HashSet<>();
        private final Deque<Placed<S, O, R>> order = new ArrayDeque<>();
        private final BitSet placed = new BitSet();
        private S state;
        private int returnsLeft;

        Search(List<Call<O, R>> calls, SequentialSpecification<S, O, R> specification) {
            this.specification = specification;
            this.state = specification.initial();
            this.head = link(calls, call -> !call.isPending());
            this.pending = link(calls, Call::isPending);
            this.returnsLeft = (int) calls.stream().filter(call -> !call.isPending()).count();
        }

        private static <O, R> Event<O, R> link(List<Call<O, R>> calls, Predicate<Call<O, R>> linked) {
            List<Event<O, R>> events = new ArrayList<>();
            for (int i = 0; i < calls.size(); i++) {
                Call<O, R> call = calls.get(i);
                if (!linked.test(call)) {
                    continue;
                }
                Event<O, R> end = call.isPending() ? null : new Event<>(i, call, false, null);
                events.add(new Event<>(i, call, true, end));
                if (end != null) {
                    events.add(end);
                }
            }
            events.sort(Comparator.comparingLong(Event::time));
            Event<O, R> head = new Event<>(-1, new Call<>("", null, -1, -1, null), true, null);
            Event<O, R> last = head;
            for (Event<O, R> event : events) {
                last.next = event;
                event.previous = last;
                last = event;
            }
            return head;
        }

        Verdict search(long mostSteps) {
            Event<O, R> event = head.next;
            for (long step = 0; returnsLeft > 0; step++) {
                if (step == mostSteps) {
                    return Verdict.UNDECIDED;
                }
                if (event != null && mayComeNext(event)) {
                    event = place(event) ? head.next : after(event);
                } else if (order.isEmpty()) {
                    return Verdict.FAILS;
                } else {
                    // The next event is a return, and no other call could be placed before it: the last choice was
                    // wrong.
                    event = after(takeBack());
                }
            }
            return Verdict.HOLDS;
        }

        private boolean mayComeNext(Event<O, R> event) {
            return !event.call.isPending() || event.time() < firstReturn();
        }

        /**
         * Returns the next candidate: calls that returned before calls that did not, since few of the latter had an
         * effect that another call saw.
         */
        private @Nullable Event<O, R> after(Event<O, R> event) {
            Event<O, R> next = event.next;
            return event.call.isPending() || next != null && next.isCall ? next : pending.next;
        }

        private long firstReturn() {
            Event<O, R> event = head.next;
            while (event != null && event.isCall) {
                event = event.next;
            }
            return Objects.requireNonNull(event, "there is a return left").time();
        }

        private boolean place(Event<O, R> event) {
            Outcome<S, R> outcome = specification.apply(state, event.call.operation());
            if (event.call.isPending()
                    ? outcome.state().equals(state) // it may as well have no place
                    : !Objects.equals(outcome.result(), event.call.result())) {
                return false;
            }
            placed.set(event.index);
            if (!visited.add(new Visited<>((BitSet) placed.clone(), outcome.state()))) {
                placed.clear(event.index);
                return false;
            }
            order.push(new Placed<>(event, state));
            state = outcome.state();
            event.unlink();
            if (event.end != null) {
                event.end.unlink();
                returnsLeft--;
            }
            return true;
        }

        private Event<O, R> takeBack() {
            Placed<S, O, R> last = order.pop();
            Event<O, R> event = last.call();
            state = last.stateBefore();
            placed.clear(event.index);
            if (event.end != null) {
                event.end.relink();
                returnsLeft++;
            }
            event.relink();
            return event;
        }
    }
}
