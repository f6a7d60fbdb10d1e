package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Clock;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.view.Electors.Exchange;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The ranks of a world with their headers, a network that can be cut, and a time that only the test moves on. */
final class ViewedRanks {

    /** Runs before a verb takes effect. Returns true if the verb's answer is lost. */
    interface Disturbance {

        boolean isLost();
    }

    private final WorldIdentity world;
    private final List<LocalMemory> memories = new ArrayList<>();
    private final List<@Nullable Views> views = new ArrayList<>(); // null for a rank that does not run
    // by rank: the views by which it has acted with its present memory
    private final List<Map<Long, View>> truths = new ArrayList<>();
    private final int[] incarnations;
    private final Set<List<Integer>> cuts = new HashSet<>(); // from, to
    private final Set<Integer> busy = new HashSet<>(); // ranks that are in the middle of a step
    private Disturbance disturbance = () -> false;
    private int roundTrips;
    private long nowNanos;

    ViewedRanks(int size) {
        this.world = new WorldIdentity("viewed", size);
        this.incarnations = new int[size];
        for (int rank = 0; rank < size; rank++) {
            memories.add(memory());
            views.add(null);
            truths.add(new HashMap<>());
        }
        IntStream.range(0, size).forEach(this::start);
    }

    private LocalMemory memory() {
        return new MappedMemory(MemorySegment.ofArray(
                new long[Math.toIntExact(SegmentHeader.size(world.maxSize()) / Layouts.WORD)]));
    }

    int size() {
        return world.size();
    }

    void disturb(Disturbance next) {
        disturbance = next;
    }

    Views of(int rank) {
        Views found = views.get(rank);
        if (found == null) {
            throw new AssertionError("the rank does not run: rank=" + rank);
        }
        return found;
    }

    int incarnation(int rank) {
        return incarnations[rank];
    }

    boolean runs(int rank) {
        return views.get(rank) != null;
    }

    /** Starts the rank, again or for the first time, with the memory that it has. */
    void start(int rank) {
        start(rank, incarnations[rank] + 1);
    }

    void start(int rank, int incarnation) {
        incarnations[rank] = incarnation;
        if (memories.get(rank).getAcquire(SegmentHeader.foundedWord()) == 0) {
            loseMemory(rank); // memory that never had a part in a world is made anew
        }
        LocalMemory memory = memories.get(rank);
        memory.compareAndExchange(SegmentHeader.bornWord(), 0, incarnation);
        views.set(rank, new Views(world, rank, incarnation, memory, new HeadersOf(rank), clock(rank),
                List.of()));
    }

    void kill(int rank) {
        views.set(rank, null);
    }

    /** The views by which it has acted are gone, too: they were stored in that memory. */
    void loseMemory(int rank) {
        memories.set(rank, memory());
        truths.set(rank, new HashMap<>());
    }

    /** The rank ends, and is started again without its memory. */
    void replace(int rank) {
        kill(rank);
        loseMemory(rank);
        start(rank);
    }

    /** Returns true if an elector has accepted a change that makes that view. */
    boolean isAccepted(long number) {
        long word = SegmentHeader.viewWords(world.maxSize()) + ViewWord.index(number) * Layouts.WORD;
        return memories.stream()
                .mapToLong(memory -> memory.getAcquire(word))
                .anyMatch(found -> found != 0 && ViewWord.fromWord(found).of(number).accepted() != 0);
    }

    void cut(int one, int other) {
        cutWay(one, other);
        cutWay(other, one);
    }

    /** Cuts that direction alone: messages the other way still arrive. */
    void cutWay(int from, int to) {
        cuts.add(List.of(from, to));
    }

    void heal() {
        cuts.clear();
    }

    /** Returns true if what the first rank asks arrives at the other. */
    private boolean reaches(int from, int to) {
        return views.get(to) != null && !cuts.contains(List.of(from, to));
    }

    /** Returns true if the first rank gets an answer from the other. */
    private boolean hears(int rank, int other) {
        return reaches(rank, other) && !cuts.contains(List.of(other, rank));
    }

    /** All ranks tell their views which ranks they hear, as far as the network lets them. */
    void hear() {
        for (int rank = 0; rank < size(); rank++) {
            hear(rank);
        }
    }

    void hear(int rank) {
        Views own = views.get(rank);
        for (int other = 0; own != null && other < size(); other++) {
            if (other != rank) {
                own.hear(other, incarnations[other], !hears(rank, other));
            }
        }
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** All ranks go on for some steps. */
    void goOn() {
        for (int step = 0; step < 30; step++) {
            hear();
            for (int rank = 0; rank < size(); rank++) {
                advance(rank);
            }
            pass(Duration.ofMillis(100));
        }
    }

    void advance(int rank) {
        Views own = views.get(rank);
        if (own != null && own.refusal().isEmpty() && busy.add(rank)) {
            try {
                own.advance();
            } finally {
                busy.remove(rank);
            }
            note(rank);
        }
    }

    /** Returns how many round trips the work takes. */
    int roundTrips(Runnable work) {
        int before = roundTrips;
        work.run();
        return roundTrips - before;
    }

    boolean isBusy(int rank) {
        return busy.contains(rank);
    }

    /** Checks that no two ranks have acted by different views of one number. */
    private void note(int rank) {
        View view = of(rank).status().view();
        if (view != null) {
            truths.get(rank).put(view.number(), view);
            truths.forEach(known -> assertThat(known.getOrDefault(view.number(), view)).isEqualTo(view));
        }
    }

    private Clock clock(int waiting) {
        return new Clock() {

            @Override
            public long nanoTime() {
                return nowNanos;
            }

            @Override
            public void pause(int attempt) {
                pass(Duration.ofMillis(10));
                IntStream.range(0, size()).filter(rank -> rank != waiting).forEach(ViewedRanks.this::advance);
            }
        };
    }

    private final class HeadersOf implements Headers {

        private final int own;

        HeadersOf(int own) {
            this.own = own;
        }

        @Override
        public Map<Integer, long[]> read(Collection<Integer> ranks, long offset, int words) {
            note(own);
            roundTrips++;
            Map<Integer, long[]> answers = new HashMap<>();
            for (int rank : ranks) {
                boolean isLost = rank != own && disturbance.isLost();
                if (rank == own || hears(own, rank) && !isLost) {
                    answers.put(rank, IntStream.range(0, words)
                            .mapToLong(word -> memories.get(rank).getAcquire(offset + word * Layouts.WORD))
                            .toArray());
                }
            }
            return answers;
        }

        @Override
        public Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long offset) {
            note(own);
            roundTrips++;
            Map<Integer, Long> answers = new HashMap<>();
            exchanges.forEach((rank, exchange) -> {
                boolean isLost = rank != own && disturbance.isLost();
                if (rank == own || reaches(own, rank)) {
                    long found = memories.get(rank).compareAndExchange(offset, exchange.expected(), exchange.value());
                    if (rank == own || hears(own, rank) && !isLost) {
                        answers.put(rank, found);
                    }
                }
            });
            return answers;
        }
    }
}
