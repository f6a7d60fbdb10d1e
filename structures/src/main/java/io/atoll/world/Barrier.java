package io.atoll.world;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.waiting.Waits;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Where all ranks, or those of a team, wait for all, by dissemination (Hensgen, Finkel and Manber, 1988): in round k a rank tells the one 2^k further on and waits to be told by
 * the one 2^k before. After ceil(log2 size) rounds each knows, through others, of all.
 * <pre>
 *       0                16 * 64             16 * 64 + 2 * 512
 *       +--------//------+---------//--------+
 *       |  told, one     |   contributions   |
 *       |  line a round  |   even, odd       |
 *       +--------//------+---------//--------+
 * </pre>
 * What is told is the number of the barrier. Numbers are counted within an era, the time between two changes of who takes part: an era begins at a
 * number made from the incarnations of all ranks, so ranks that take part with each other count from the same one, wherever they had come to
 * before, and what was told in an era that ended in the middle of a barrier means nothing in the next. (An incarnation that was lost never
 * comes back, so an era does not either.) A teller is one barrier ahead at most.
 *
 * <p>What a test overrides to break the protocol is not private: {@link #flushBeforeTelling}, {@link #contributions}, {@link #isTold}, {@link #eraOf}, {@link
 * #open}.
 */
public class Barrier {

    private static final int LOOKS_BEFORE_DOUBT = 16;

    private static final int ROUNDS = 16; // for 65,536 ranks

    /** Longs that one exchange of contributions carries. */
    static final int VALUES = 64;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.words("told", ROUNDS * Layouts.CACHE_LINE / Layouts.WORD), // round k: the barrier that the rank 2^k before has entered; by that rank alone
            Layouts.words("contributions", 2 * VALUES)); // to the last two reductions, by the parity of their numbers; by the own rank alone

    static final long TOLD = Layouts.offsetOf(LAYOUT, "told");
    static final long CONTRIBUTIONS = Layouts.offsetOf(LAYOUT, "contributions");
    /** What each member's part takes. */
    public static final long AREA_BYTES = LAYOUT.byteSize();

    private final Endpoint endpoint;
    private final int[] members;
    private final long[] areas;
    private final int own; // position among the members
    private final Supplier<int[]> incarnations;
    private final Departures departures;
    private final Duration patience; // with a broken connection
    private final Waits waits;
    private final ReentrantLock turn = new ReentrantLock();
    private int[] present = {}; // the incarnations of the era, then the departures; guarded by turn, as is what follows
    private long era;
    private long passed; // barriers of the era
    private volatile long last; // the number of the last one that was passed; read by anyone

    /** @param incarnations of all ranks at the moment, 0 for one that is not there */
    Barrier(Endpoint endpoint, long area, Supplier<int[]> incarnations, Waits waits) {
        this(endpoint, IntStream.range(0, endpoint.size()).toArray(),
                LongStream.generate(() -> area).limit(endpoint.size()).toArray(), incarnations, Departures.NONE,
                Duration.ZERO, waits);
    }

    /**
     * Who has left something in the middle that all do together: where the others learn of it, it ends that for them, too, and begins an era, as a death does. Used by one thread at a
     * time.
     */
    public interface Departures {

        /** Nobody learns of it: who has left must not come back. */
        Departures NONE = new Departures() {
            @Override
            public int[] counts() {
                return new int[0];
            }

            @Override
            public void leave() {
                // Nobody is told.
            }

            @Override
            public void tell() {
                // There is nothing to tell.
            }
        };

        /** How often each member has, as far as this one was told; or nothing, if nobody is ever told. */
        int[] counts();

        /** This member leaves now. Those it cannot reach are told later. */
        void leave();

        /** Sees to it that all others have been told. */
        void tell();
    }

    /**
     * Of a team of ranks, of which this one is a member.
     *
     * @param members in an order that is the same at all
     * @param areas where each member's part lies in its segment, of {@link #AREA_BYTES}, zeroed when it was made
     */
    public static Barrier of(Participant self, int[] members, long[] areas, Departures departures) {
        return new Barrier(self.endpoint(), members, areas, () -> {
            int[] all = self.incarnations();
            return Arrays.stream(members).map(rank -> all[rank]).toArray();
        }, departures, self.reservations().timeout(), self.waits());
    }

    private Barrier(Endpoint endpoint, int[] members, long[] areas, Supplier<int[]> incarnations,
            Departures departures, Duration patience, Waits waits) {
        this.endpoint = endpoint;
        this.members = members;
        this.areas = areas;
        this.own = IntStream.range(0, members.length)
                .filter(position -> members[position] == endpoint.rank())
                .findFirst()
                .orElseThrow();
        this.incarnations = incarnations;
        this.departures = departures;
        this.patience = patience;
        this.waits = waits;
    }

    /** What a process does together with all other members, in steps that {@link Steps#pass} separates. */
    public interface Together {
        void act(Steps steps) throws InterruptedException;
    }

    /** Barriers within what is done {@link #together}. */
    public final class Steps {

        private Steps() {}

        /**
         * Of which of its two rooms a member may make use before the next barrier, 0 or 1 in turn: what was written there before the last barrier but one nobody
         * reads any more.
         */
        public int room() {
            return (int) (next() & 1);
        }

        /** Waits for all members; what each wrote before is there. */
        public void pass() throws InterruptedException {
            Barrier.this.pass();
        }

        /**
         * Does what may be done again as often as connections break, at most for the operation timeout.
         *
         * @throws RankUnreachableException when a member was lost
         */
        public void persist(Runnable step) {
            Barrier.this.persist(step);
        }
    }

    /** Threads of one process take turns. */
    public void together(Together acting) throws InterruptedException {
        turn.lockInterruptibly();
        boolean acted = false;
        try {
            enterEra();
            acting.act(new Steps());
            acted = true;
        } finally {
            leaveUnless(acted);
            turn.unlock();
        }
    }

    /** Who comes back after that would be one barrier behind, or ahead. Where an era has ended, all are behind. */
    private void leaveUnless(boolean acted) {
        if (!acted && Arrays.equals(present, marks())) {
            departures.leave();
        }
    }

    /** What the present era is made from. */
    private int[] marks() {
        return IntStream.concat(Arrays.stream(incarnations.get()), Arrays.stream(departures.counts())).toArray();
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
                if (!backoff.pause()) {
                    throw broken;
                }
            }
        }
    }

    /** @see Participant#barrier() */
    void await() throws InterruptedException {
        together(Steps::pass);
    }

    /** @see Participant#allReduce */
    void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        together(_ -> {
            long[] results = new long[values.length];
            for (int from = 0; from < values.length; from += VALUES) {
                int end = Math.min(values.length, from + VALUES);
                long[] combined = reduce(Arrays.copyOfRange(values, from, end), operator);
                System.arraycopy(combined, 0, results, from, combined.length);
            }
            System.arraycopy(results, 0, values, 0, values.length);
        });
    }

    private long[] reduce(long[] own, LongBinaryOperator operator) throws InterruptedException {
        long contributions = contributions(next());
        for (int at = 0; at < own.length; at++) {
            endpoint.writeWord(endpoint.rank(), areas[this.own] + contributions + at * Layouts.WORD, own[at]);
        }
        pass();
        long[][] all = contributions(contributions, own);
        long[] results = all[0];
        for (int rank = 1; rank < all.length; rank++) {
            for (int at = 0; at < own.length; at++) {
                results[at] = operator.applyAsLong(results[at], all[rank][at]);
            }
        }
        return results;
    }

    /**
     * Of the other parity than the reduction before, whose values others may still be reading. The one before that they have all read: they have
     * entered a barrier since.
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

    private void enterEra() throws InterruptedException {
        persist(departures::tell);
        int[] now = marks();
        for (int rank = 0; rank < members.length; rank++) {
            if (now[rank] == 0) {
                throw new RankUnreachableException("a barrier is for all, and one is not there", "barrier",
                        members[rank], FabricException.WHOLE_SEGMENT);
            }
        }
        if (!Arrays.equals(now, present)) {
            present = now;
            era = eraOf(now);
            passed = 0;
        }
        if (passed == 0) {
            open();
        }
    }

    /** An era begins with a barrier of its own: after it nobody reads what was contributed in the one before. */
    void open() throws InterruptedException {
        pass();
    }

    /** Any number that differs between any two eras of a world. */
    long eraOf(int[] present) {
        return Hashing.wyhashFinal4().hashStream().putIntArray(present).getAsLong();
    }

    private long next() {
        return era + passed + 1;
    }

    private void pass() throws InterruptedException {
        long number = next();
        // (1) flush: what this rank wrote has arrived before anyone is told that it has entered.
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
        passed++;
        last = number;
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
            // (2) acquire: pairs with the write in pass, behind the flush (1) of every rank that the teller speaks for.
            while (!looksTold(told, number)) {
                if (backoff.attempts() % LOOKS_BEFORE_DOUBT == 0) {
                    refuseIfChanged(teller, told);
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted in a barrier");
                }
                backoff.pause();
            }
        }
    }

    /** False also if the way to the own word is broken at the moment, for those who have patience. */
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
            String what = changed < members.length ? "was lost" : "has left";
            throw new RankUnreachableException(
                    "a rank " + what + " while others wait for it in a barrier: waitingFor=" + teller, "barrier",
                    members[changed % members.length], told);
        }
    }
}
