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
import org.jspecify.annotations.Nullable;

/**
 * One thread at a time holds a lock, and the lock's tokens grow. The next holder after a killed one is told of the
 * death. A process that was removed from its world may take itself for the holder for a while: what the lock guards
 * refuses its token, which is smaller than that of the next holder, who is told. So its hold ends where the next one
 * begins, also if it learns later that it has had the lock.
 */
final class Exclusion {

    private Exclusion() {}

    /** @param limit when the next holder had the lock, if this one has lost it; otherwise a time that never comes */
    private record Hold(Entry acquired, @Nullable Entry released, long limit) {

        /** Returns the time from which on the lock was certainly held. */
        long begin() {
            return Math.min(acquired.returned(), limit);
        }

        long token() {
            return acquired.result();
        }

        /** Returns the time until which the lock was certainly held. */
        long end(Run run) {
            long left = run.left().getOrDefault(acquired.process(), Long.MAX_VALUE);
            return released == null ? begin() : Math.min(Math.min(released.called(), left), limit);
        }

        Hold endedBy(Hold next) {
            return new Hold(acquired, released, next.begin());
        }

        List<Entry> entries() {
            return released == null ? List.of(acquired) : List.of(acquired, released);
        }
    }

    private record Holder(int process, int thread, long token) {}

    static List<Finding> check(Run run, Structure structure) {
        List<Finding> findings = new ArrayList<>();
        Map<Long, List<Entry>> byLock = new TreeMap<>();
        run.of(structure).forEach(entry -> byLock.computeIfAbsent(entry.key(), _ -> new ArrayList<>()).add(entry));
        byLock.forEach((lock, entries) -> check(run, structure + " " + lock, entries, findings));
        return findings;
    }

    private static void check(Run run, String lock, List<Entry> entries, List<Finding> findings) {
        List<Hold> holds = holds(run, entries);
        for (int index = 1; index < holds.size(); index++) {
            Hold earlier = holds.get(index - 1);
            Hold hold = holds.get(index);
            List<Entry> both = new ArrayList<>(earlier.entries());
            both.addAll(hold.entries());
            if (earlier.end(run) > hold.begin()) {
                findings.add(run.finding(lock + " is held by two", both));
            }
            if (earlier.token() >= hold.token()) {
                findings.add(run.finding(lock + " is acquired with a token that does not grow", both));
            }
            if (!run.errors() && hold.acquired.extra() == 0 && died(run, earlier)
                    && !mayHaveBeenTold(entries, earlier, hold)) {
                findings.add(run.finding(lock + " is not said to be recovered after its holder was killed", both));
            }
        }
    }

    /**
     * Returns true if the process of the holder was removed, and the holder of the next token was told. Then the holder
     * has lost the lock, whenever it learns that it has had it.
     */
    private static boolean isGivenUp(Run run, Hold hold, Hold next, List<Entry> entries) {
        return run.removed().contains(hold.acquired.process())
                && next.token() > hold.token() && next.begin() > hold.acquired.called()
                && (next.acquired.extra() != 0
                        || next.token() > hold.token() + 1 && mayHaveBeenTold(entries, hold, next));
    }

    private static boolean died(Run run, Hold hold) {
        return hold.released == null && run.killed().contains(hold.acquired.process());
    }

    /** Another thread may have had the lock in between and not written it down. */
    private static boolean mayHaveBeenTold(List<Entry> entries, Hold died, Hold next) {
        return entries.stream()
                .anyMatch(entry -> entry.verb() == Verb.ACQUIRE && entry.isOpen()
                        && entry.process() != died.acquired.process() && entry.called() < next.begin());
    }

    /** Returns the holds in the order in which they began. */
    private static List<Hold> holds(Run run, List<Entry> entries) {
        Map<Holder, Entry> releases = new HashMap<>();
        entries.stream()
                .filter(entry -> entry.verb() == Verb.RELEASE)
                .forEach(entry -> releases.put(new Holder(entry.process(), entry.thread(), entry.argument()), entry));
        List<Hold> holds = new ArrayList<>();
        entries.stream()
                .filter(entry -> entry.verb() == Verb.ACQUIRE && entry.isDone() && entry.result() != Entry.ABSENT)
                .map(entry -> new Hold(entry,
                        releases.get(new Holder(entry.process(), entry.thread(), entry.result())), Entry.NEVER))
                .sorted(Comparator.comparingLong(Hold::token).reversed())
                .forEach(hold -> {
                    // From the last token on: the next holder may have learnt late, too.
                    Hold next = holds.isEmpty() ? null : holds.getLast();
                    holds.add(next != null && isGivenUp(run, hold, next, entries) ? hold.endedBy(next) : hold);
                });
        holds.sort(Comparator.comparingLong(Hold::begin).thenComparingLong(Hold::token));
        return holds;
    }
}
