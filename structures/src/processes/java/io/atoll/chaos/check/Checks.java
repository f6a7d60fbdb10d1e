package io.atoll.chaos.check;

import io.atoll.chaos.history.Structure;
import java.util.ArrayList;
import java.util.List;

/** Everything that must hold. */
public final class Checks {

    private static final List<Structure> REGISTERS = List.of(Structure.LONG_MAP, Structure.FIXED_MAP,
            Structure.TEXT_MAP, Structure.LONG_ARRAY, Structure.ELEMENT_ARRAY, Structure.HOSTED_ARRAY,
            Structure.ATOMIC_OBJECT);
    private static final List<Structure> QUEUES = List.of(Structure.CIRCULAR_QUEUE, Structure.LONG_QUEUE,
            Structure.LINKED_QUEUE,
            Structure.STACK);
    private static final List<Structure> LOCKS = List.of(Structure.ALOCK, Structure.MCS, Structure.SPIN);

    private Checks() {}

    /**
     * Returns what does not hold.
     *
     * @param undecided its first element counts the histories that took too long to be judged
     */
    public static List<Finding> of(Run run, long[] undecided) {
        List<Finding> findings = new ArrayList<>();
        REGISTERS.forEach(structure -> findings.addAll(Registers.check(run, structure, undecided)));
        QUEUES.forEach(structure -> findings.addAll(Queues.check(run, structure)));
        findings.addAll(Stacks.check(run, undecided));
        findings.addAll(Counters.check(run));
        LOCKS.forEach(structure -> findings.addAll(Exclusion.check(run, structure)));
        findings.addAll(Filters.check(run));
        findings.addAll(Windows.check(run));
        findings.addAll(Rounds.check(run));
        findings.addAll(PinnedObjects.check(run));
        return findings;
    }
}
