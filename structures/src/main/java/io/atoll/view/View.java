package io.atoll.view;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The members of the world. Each view but the first follows from the one before by one {@link ViewChange}, so views
 * with one number are equal.
 *
 * @param number from 1
 * @param entries what the view says of each rank
 */
public record View(long number, List<Entry> entries) {

    /** The most electors of a view. */
    public static final int MOST_ELECTORS = 5;

    /**
     * What a view says of one rank.
     *
     * @param incarnation the highest that was ever a member, or was removed; 0 for none
     * @param isMember true if that incarnation is a member
     */
    public record Entry(int incarnation, boolean isMember) {

        static final Entry NEVER = new Entry(0, false);
    }

    public View {
        entries = List.copyOf(entries);
    }

    /**
     * Returns the view that a world begins with: the first life of each rank is a member. A rank that was started more
     * often before that is added afterwards.
     *
     * @param capacity ranks that may ever be in the world
     */
    static View first(int size, int capacity) {
        return new View(1, IntStream.range(0, capacity)
                .mapToObj(rank -> rank < size ? new Entry(1, true) : Entry.NEVER)
                .toList());
    }

    /** Returns the highest incarnation of the rank that was ever a member, or was removed; 0 for none. */
    public int incarnation(int rank) {
        return entries.get(rank).incarnation();
    }

    public boolean isMember(int rank) {
        return entries.get(rank).isMember();
    }

    /** Returns true if the incarnation is a member. */
    public boolean isMember(int rank, int incarnation) {
        return isMember(rank) && entries.get(rank).incarnation() == incarnation;
    }

    /** Returns true if the incarnation is no member any more: it was one, or a later one was. */
    public boolean hasRemoved(int rank, int incarnation) {
        Entry entry = entries.get(rank);
        return incarnation < entry.incarnation() || incarnation == entry.incarnation() && !entry.isMember();
    }

    /** Returns the ranks that are members, in their order. */
    public List<Integer> members() {
        return IntStream.range(0, entries.size()).filter(this::isMember).boxed().toList();
    }

    /** Returns the ranks whose words decide the next view, in their order. */
    public List<Integer> electors() {
        List<Integer> members = members();
        return members.subList(0, Math.min(MOST_ELECTORS, members.size()));
    }

    /**
     * Returns true if these electors can decide: more than half of all, or exactly half with the lowest elector among
     * them. Any two such sets have an elector in common.
     */
    public boolean isQuorum(Collection<Integer> some) {
        List<Integer> electors = electors();
        int counted = Math.toIntExact(electors.stream().filter(some::contains).count());
        return 2 * counted + (some.contains(electors.getFirst()) ? 1 : 0) > electors.size();
    }

    /** Returns the smallest number of electors that can decide, if the lowest is among them. */
    public int quorum() {
        return Math.ceilDiv(electors().size(), 2);
    }

    /**
     * Returns true if the change makes another view of this one: no removed incarnation comes back, and the last member
     * stays.
     */
    public boolean allows(ViewChange viewChange) {
        Entry entry = entries.get(viewChange.rank());
        return switch (viewChange.kind()) {
            case NONE -> false;
            case ADD -> viewChange.incarnation() > entry.incarnation();
            case REMOVE -> viewChange.incarnation() >= entry.incarnation()
                    && !(viewChange.incarnation() == entry.incarnation() && !entry.isMember())
                    && !members().equals(List.of(viewChange.rank()));
        };
    }

    /** Returns the next view. A change that this one does not {@linkplain #allows allow} changes the number alone. */
    public View after(ViewChange viewChange) {
        if (!allows(viewChange)) {
            return new View(number + 1, entries);
        }
        List<Entry> next = new ArrayList<>(entries);
        next.set(viewChange.rank(), new Entry(viewChange.incarnation(), viewChange.kind() == ViewChange.Kind.ADD));
        return new View(number + 1, Collections.unmodifiableList(next));
    }

    @Override
    public String toString() {
        return "view=" + number + " members=" + members().stream()
                .map(rank -> rank + "/" + entries.get(rank).incarnation())
                .collect(joining(",", "[", "]"));
    }
}
