package io.atoll.world;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.Layouts;
import io.atoll.memory.StackSafeLock;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A barrier of all ranks, or of a team, by dissemination (Hensgen, Finkel and Manber, 1988). In round k a rank tells
 * the rank 2^k positions after it. Then it waits until the rank 2^k positions before it has told. After ceil(log2 size)
 * rounds each rank knows, through others, that all have entered.
 * <pre>
 *       0                16 * 64             16 * 64 + 2 * 512     whole lines
 *       +--------//------+---------//--------+---------//--------+
 *       |  told, one     |   contributions   |  departures, a    |
 *       |  line a round  |   even, odd       |  word a member    |
 *       +--------//------+---------//--------+---------//--------+
 * </pre>
 * A rank tells the number of the barrier. Numbers are counted within a generation: the time between two changes of the
 * members that take part. The first number of a generation is made from the incarnations of all members. It also says
 * how often each has left a barrier in the middle ({@link Departures}). So ranks that take part with each other count
 * from the same number, wherever they had come to before. A generation may end in the middle of a barrier: its numbers
 * mean nothing in the next generation. (A lost incarnation never comes back, so no generation comes back either.) A
 * teller is at most one barrier ahead.
 */
public class Barrier {

    private static final int LOOKS_BEFORE_ASKING = 16;
    private static final long NOT_IN_ONE = 0;

    private static final int ROUNDS = 16; // for 65,536 ranks

    /** How many longs one exchange of contributions carries. */
    static final int VALUES = 64;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            // round k: the barrier that the rank 2^k before has entered; only that rank writes it
            Layouts.words("told", ROUNDS * Layouts.CACHE_LINE / Layouts.WORD),
            // to the last two reductions, by the parity of their numbers; only this rank writes them
            Layouts.words("contributions", 2 * VALUES));

    static final long TOLD = Layouts.offsetOf(LAYOUT, "told");
    static final long CONTRIBUTIONS = Layouts.offsetOf(LAYOUT, "contributions");
    static final long DEPARTURES = LAYOUT.byteSize();

    private final int[] members;
    private final int own; // position among the members
    private final Supplier<int[]> incarnations;
    private final Departures departures;
    private final Duration patience; // how long a broken connection is tried again
    private final Waits waits;
    private final StackSafeLock turn = new StackSafeLock();
    private volatile Reach latest;
    private Endpoint endpoint; // guarded by turn, as are the fields below
    private long[] areas;
    private int[] present = {}; // the incarnations of the generation, then the departures
    private @Nullable Object unfinished; // what this rank has left in the middle of the generation, and may go on with
    private long generation;
    private long passed; // how many barriers of the generation
    // the number of the barrier that this rank is in; any thread reads it, and the fields below
    private volatile long awaited;
    private volatile long awaitedSinceNanos = NOT_IN_ONE;
    private volatile long last; // the number of the last barrier that was passed

    /** @param incarnations returns the present incarnations of all ranks, 0 for a rank that is not there */
    Barrier(Endpoint endpoint, long area, Supplier<int[]> incarnations, Waits waits) {
        this(endpoint, IntStream.range(0, endpoint.size()).toArray(),
                LongStream.generate(() -> area).limit(endpoint.size()).toArray(), incarnations,
                Duration.ZERO, waits, 0);
    }

    /**
     * How members are reached.
     *
     * @param losses how many losses of segments this process had seen before
     */
    private record Reach(Endpoint endpoint, long[] areas, int losses) {}

    /** Returns the size of each member's part. */
    public static long areaBytes(int members) {
        return DEPARTURES + Layouts.roundUp(members * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /**
     * Returns the barrier of a team of ranks, of which this one is a member.
     *
     * @param members in an order that is the same at all of them
     * @param areas where each member's part lies in its segment: {@link #areaBytes} long, zeroed when it was made
     */
    public static Barrier of(Participant self, int[] members, long[] areas) {
        return new Barrier(self.endpoint(), members, areas, () -> {
            int[] all = self.incarnations();
            return Arrays.stream(members).map(rank -> all[rank]).toArray();
        }, self.reservations().timeout(), self.waits(), self.lossesSeen());
    }

    private Barrier(Endpoint endpoint, int[] members, long[] areas, Supplier<int[]> incarnations, Duration patience,
            Waits waits, int losses) {
        this.latest = new Reach(endpoint, areas, losses);
        this.endpoint = endpoint;
        this.members = members;
        this.areas = areas;
        this.own = IntStream.range(0, members.length)
                .filter(position -> members[position] == endpoint.rank())
                .findFirst()
                .orElseThrow();
        this.incarnations = incarnations;
        this.departures = new Departures(endpoint, members, departures(areas), own);
        this.patience = patience;
        this.waits = waits;
    }

    private static long[] departures(long[] areas) {
        return Arrays.stream(areas).map(area -> area + DEPARTURES).toArray();
    }

    /**
     * From the next barrier on, members are reached by that participant. It knows the new segment of a member that has
     * lost its own. A barrier that is under way goes on by the former participant: the new segment does not have what
     * the member has contributed.
     *
     * @param present where each member's part lies now. The part of the member that has lost its segment lies
     * elsewhere; it was zeroed when it was made
     */
    public void reachBy(Participant renewed, long[] present) {
        reachBy(new Reach(renewed.endpoint(), present, renewed.lossesSeen()));
    }

    /** As {@link #reachBy(Participant, long[])}, if the part of each rank stays where it was. */
    void reachBy(Endpoint renewed, int losses) {
        reachBy(new Reach(renewed, latest.areas, losses));
    }

    private synchronized void reachBy(Reach renewed) {
        // A thread that found the part by a former participant may come late.
        if (renewed.losses > latest.losses) {
            latest = renewed;
        }
    }

    private void reachLatest() {
        Reach present = latest;
        if (endpoint != present.endpoint) {
            endpoint = present.endpoint;
            areas = present.areas;
            departures.reachBy(endpoint, departures(areas));
        }
    }

    /** Work that a process does together with all other members, in steps that {@link Steps#pass} separates. */
    public interface Together {
        void act(Steps steps) throws InterruptedException;
    }

    /** Barriers within work that is done {@link #together}. */
    public final class Steps {

        private boolean ended; // the others need no further step of this rank

        private Steps() {}

        /**
         * Returns which of its two rooms, 0 or 1 in turn, a member may use before the next barrier. No member reads any
         * more what was written there before the last barrier but one.
         */
        public int room() {
            return (int) (next() & 1);
        }

        /** Waits for all members. Everything that each of them wrote before has arrived then. */
        public void pass() throws InterruptedException {
            Barrier.this.pass();
        }

        /**
         * Runs a step again as often as connections break, for at most the operation timeout. The step must be safe to
         * repeat.
         *
         * @throws RankUnreachableException if a member was lost
         */
        public void persist(Runnable step) {
            Barrier.this.persist(step);
        }
    }

    /**
     * Does work together with all members. Threads of one process take turns. A member that leaves the work in the
     * middle ends it for all. The next work is one of all again.
     */
    public void together(Together acting) throws InterruptedException {
        act(null, acting);
    }

    /**
     * As {@link #together}, but a member that leaves the work in the middle can call this again. It then goes on where
     * it was, and the others wait for that. If it begins anything else instead, it ends the work for all.
     *
     * @param what the same object whenever it is called again
     */
    void resumably(Object what, Together acting) throws InterruptedException {
        act(what, acting);
    }

    private void act(@Nullable Object resumable, Together acting) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            reachLatest();
            if (unfinished != resumable) {
                endUnfinished();
            }
            var steps = new Steps();
            try {
                enterGeneration();
                unfinished = resumable == null ? steps : resumable;
                acting.act(steps);
                unfinished = null;
            } catch (Throwable broken) {
                if (resumable == null && !steps.ended && !mayBeADeath(broken)) {
                    unfinished = null;
                    leaveGeneration();
                }
                throw broken;
            }
        } finally {
            turn.unlock();
        }
    }

    /**
     * Returns true if the failure most likely is a death. Without a wait limit a broken connection counts as one: all
     * members learn of a death by its name. If it is none, this rank leaves the generation when it next begins
     * something.
     */
    private boolean mayBeADeath(Throwable broken) {
        return patience.isZero() && broken instanceof FabricException;
    }

    private void endUnfinished() {
        if (unfinished != null) {
            unfinished = null;
            leaveGeneration();
        }
    }

    /**
     * Leaves the generation: a member that came back later would be one barrier behind, or ahead. Where the generation
     * has ended, all begin anew anyway.
     */
    private void leaveGeneration() {
        if (Arrays.equals(present, marks())) {
            leave();
        }
    }

    /** Tells all other members that this one has left what they do together. */
    void leave() {
        departures.leave(present);
    }

    /** Returns the numbers from which the present generation is made. */
    private int[] marks() {
        int[] now = incarnations.get();
        return IntStream.concat(Arrays.stream(now), Arrays.stream(departures.counts(now))).toArray();
    }

    private void persist(Runnable step) {
        Backoff backoff = new Backoff(endpoint.clock(), patience);
        while (true) {
            try {
                step.run();
                return;
            } catch (FencedException fenced) {
                throw fenced;
            } catch (FabricException broken) {
                refuseIfChanged(broken.rank(), broken.offset());
                if (broken instanceof SegmentLostException || !backoff.pause()) {
                    throw broken;
                }
            }
        }
    }

    /** @see Participant#barrier() */
    void await() throws InterruptedException {
        resumably(this, Steps::pass);
    }

    /** @see Participant#allReduce */
    void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        together(steps -> {
            long[] results = new long[values.length];
            for (int from = 0; from < values.length; from += VALUES) {
                int end = Math.min(values.length, from + VALUES);
                long[][] all = exchange(Arrays.copyOfRange(values, from, end));
                try {
                    System.arraycopy(combine(all, operator), 0, results, from, end - from);
                } catch (Throwable refused) {
                    bringRest(values, end, refused);
                    steps.ended = true;
                    unfinished = null;
                    throw refused;
                }
            }
            System.arraycopy(results, 0, values, 0, values.length);
        });
    }

    /** Contributes the remaining values although the operator has failed: the other members need them. */
    private void bringRest(long[] values, int first, Throwable refused) throws InterruptedException {
        try {
            for (int from = first; from < values.length; from += VALUES) {
                layDown(Arrays.copyOfRange(values, from, Math.min(values.length, from + VALUES)));
                pass();
            }
        } catch (Throwable broken) {
            broken.addSuppressed(refused);
            throw broken;
        }
    }

    private static long[] combine(long[][] all, LongBinaryOperator operator) {
        long[] results = all[0];
        for (int rank = 1; rank < all.length; rank++) {
            for (int at = 0; at < results.length; at++) {
                results[at] = operator.applyAsLong(results[at], all[rank][at]);
            }
        }
        return results;
    }

    private long[][] exchange(long[] own) throws InterruptedException {
        long contributions = layDown(own);
        pass();
        return contributions(contributions, own);
    }

    /** Returns where the values lie in this rank's part. */
    private long layDown(long[] own) {
        long contributions = contributions(next());
        for (int at = 0; at < own.length; at++) {
            endpoint.writeWord(endpoint.rank(), areas[this.own] + contributions + at * Layouts.WORD, own[at]);
        }
        return contributions;
    }

    /**
     * Returns the room of the other parity than in the reduction before, whose values others may still be reading. All
     * have read the values of the reduction before that one: they have entered a barrier since.
     */
    long contributions(long number) {
        return CONTRIBUTIONS + (number & 1) * VALUES * Layouts.WORD;
    }

    private long[][] contributions(long offset, long[] own) {
        long[][] all = new long[members.length][own.length];
        all[this.own] = own;
        long bytes = own.length * Layouts.WORD;
        int ranksInBatch = (int) (Batch.THREAD_BUFFER_BYTES / bytes);
        for (int first = 0; first < all.length; first += ranksInBatch) {
            readContributions(all, first, Math.min(all.length, first + ranksInBatch), offset, bytes);
        }
        return all;
    }

    private void readContributions(long[][] all, int first, int end, long offset, long bytes) {
        try (Batch batch = endpoint.batch()) {
            for (int position = first; position < end; position++) {
                if (position != own) {
                    batch.read(members[position], areas[position] + offset, (position - first) * bytes, bytes);
                }
            }
            batch.complete();
            for (int position = first; position < end; position++) {
                if (position != own) {
                    for (int at = 0; at < all[position].length; at++) {
                        all[position][at] = batch.word((position - first) * bytes + at * Layouts.WORD);
                    }
                }
            }
        }
    }

    private void enterGeneration() throws InterruptedException {
        int[] now = marks();
        for (int rank = 0; rank < members.length; rank++) {
            if (now[rank] == 0) {
                throw new RankUnreachableException(
                        "a barrier is for all, and one is not there, start it or wait until it is back", "barrier",
                        members[rank], FabricException.WHOLE_SEGMENT);
            }
        }
        persist(() -> departures.tell(now));
        if (!Arrays.equals(now, present)) {
            unfinished = null;
            present = now;
            generation = generationOf(now);
            passed = 0;
        }
        if (passed == 0) {
            open();
        }
    }

    /** Begins a generation with a barrier of its own. After it no member reads what was contributed before. */
    void open() throws InterruptedException {
        pass();
    }

    /** Returns any number that differs between any two generations of a world. */
    long generationOf(int[] present) {
        return Hashing.wyhashFinal4().hashStream().putIntArray(present).getAsLong();
    }

    private long next() {
        return generation + passed + 1;
    }

    private void pass() throws InterruptedException {
        long number = next();
        awaited = number;
        awaitedSinceNanos = System.nanoTime() | 1; // never the value that stands for none
        try {
            pass(number);
        } finally {
            awaitedSinceNanos = NOT_IN_ONE;
        }
        passed++;
        last = number;
    }

    private void pass(long number) throws InterruptedException {
        // (1) flush: everything that this rank wrote has arrived before it tells anyone that it has entered.
        flushBeforeTelling();
        int size = members.length;
        for (int round = 0, distance = 1; distance < size; round++, distance *= 2) {
            long told = TOLD + round * Layouts.CACHE_LINE;
            int listener = (own + distance) % size;
            persist(() -> {
                endpoint.writeWord(members[listener], areas[listener] + told, number);
                endpoint.flush(members[listener]);
            });
            awaitTold(areas[own] + told, number, members[Math.floorMod(own - distance, size)]);
        }
    }

    /** A rank that has not entered this rank's barrier, and how long this rank has waited for it. */
    public record Awaited(int rank, Duration since) {}

    /**
     * Returns the members that have not entered the barrier in which this rank is. Returns none if it is in none. In
     * the first round each member tells the next one, so this looks there. For observers; any thread may call it. Cost:
     * R for each member, in batches.
     *
     * @throws FabricException if a member cannot be reached
     */
    public List<Awaited> awaited() {
        long since = awaitedSinceNanos;
        long number = awaited;
        if (since == NOT_IN_ONE || since != awaitedSinceNanos) {
            return List.of();
        }
        List<Awaited> missing = new ArrayList<>();
        Duration waited = Duration.ofNanos(System.nanoTime() - since);
        Reach reach = latest;
        int wordsInBatch = (int) (Batch.THREAD_BUFFER_BYTES / Layouts.WORD);
        for (int first = 0; first < members.length; first += wordsInBatch) {
            int end = Math.min(members.length, first + wordsInBatch);
            try (Batch batch = reach.endpoint.batch()) {
                for (int position = first; position < end; position++) {
                    int listener = (position + 1) % members.length;
                    batch.read(members[listener], reach.areas[listener] + TOLD, (position - first) * Layouts.WORD,
                            Layouts.WORD);
                }
                batch.complete();
                for (int position = first; position < end; position++) {
                    if (position != own && !isTold(batch.word((position - first) * Layouts.WORD), number)) {
                        missing.add(new Awaited(members[position], waited));
                    }
                }
            }
        }
        return awaitedSinceNanos == since ? missing : List.of();
    }

    /** @see Participant#lastBarrier() */
    long last() {
        return last;
    }

    void flushBeforeTelling() {
        endpoint.flush();
    }

    private void awaitTold(long told, long number, int teller) throws InterruptedException {
        Backoff backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        try (Waits.Waiting _ = waits.begin("barrier", teller)) {
            // (2) acquire: pairs with the write in pass, after the flush (1) of every rank that the teller speaks for.
            while (!looksTold(told, number)) {
                if (backoff.attempts() % LOOKS_BEFORE_ASKING == 0) {
                    refuseIfChanged(teller, told);
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted in a barrier");
                }
                backoff.pause();
            }
        }
    }

    /**
     * Returns true if it was told. With a wait limit, also returns false if the way to the own word is broken at the
     * moment.
     */
    private boolean looksTold(long told, long number) {
        try {
            return isTold(endpoint.readWord(endpoint.rank(), told), number);
        } catch (FabricException broken) {
            if (patience.isZero() || broken instanceof FencedException) {
                throw broken;
            }
            return false;
        }
    }

    boolean isTold(long word, long number) {
        return word == number || word == number + 1;
    }

    private void refuseIfChanged(int teller, long told) {
        int changed = Arrays.mismatch(present, marks());
        if (changed >= 0) {
            int other = members[changed % members.length];
            String facts = "waitingFor=" + teller;
            throw changed < members.length
                    ? new RankUnreachableException(
                            "a rank was lost while others wait for it in a barrier, start it and repeat the barrier",
                            facts, "barrier", other, told)
                    : new RankUnreachableException(
                            "a rank has left the barrier in which others wait for it, repeat it at all of them",
                            facts, "barrier", other, told);
        }
    }
}
