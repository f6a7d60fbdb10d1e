package io.atoll.chaos.check;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The events in a world.
 *
 * @param entries of all processes
 * @param killed processes
 * @param removed processes that a view has removed while they lived: they may not know it for a while
 * @param left when processes were told to leave, in the middle of their operations; from then on they hold nothing
 * @param drained the structures that living processes emptied at the end
 * @param errors true if errors were injected
 * @param begin of the world, by {@link System#nanoTime}
 */
public record Run(List<Entry> entries, Set<Integer> killed, Set<Integer> removed, Map<Integer, Long> left,
        Set<Structure> drained, boolean errors, long begin) {

    Stream<Entry> of(Structure structure) {
        return entries.stream().filter(entry -> entry.structure() == structure);
    }

    List<Entry> of(Structure structure, Predicate<Entry> condition) {
        return of(structure).filter(condition).toList();
    }

    Finding finding(String what, List<Entry> history) {
        return new Finding(what, history.stream().map(entry -> entry.text(begin)).toList());
    }
}
