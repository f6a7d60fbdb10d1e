package io.atoll.collective;

import io.atoll.collective.CollectiveLog.Late;
import io.atoll.fabric.Backoff;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import io.atoll.world.StructureBuilder;
import io.atoll.world.Waits;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies data from one member's window to the same place in all other windows (Paznikov, section 2). A window is a
 * piece of memory, of the same size at every member of a team. Broadcasts are one-sided: only the root calls anything.
 * A thread of each process passes on what arrives.
 * <pre>{@code
 * Broadcast model = world.collectives().broadcast("model").bytes(16 << 20).open();   // at every member
 * model.write(0, parameters);                                                        // at the root
 * model.send(0, parameters.byteSize());
 * model.flush();                                                                     // all have it
 * model.awaitNext(root);                                                             // at another, if it wants to know
 * }</pre>
 *
 * <p>Any member may be the root, several at the same time; those that use the same places overwrite each other.
 * <strong>What is being sent must not be changed before it is {@linkplain #flush complete}</strong>. The next broadcast
 * of the same root waits until then. Receivers get what is sent even if they do not look. A receiver may still read the
 * last broadcast while the root sends the next one to the same place. Then it reads some of both.
 *
 * <p><b>Cost</b>, R, W and A being a remote read, write and atomic. Data is sent in pieces of {@value
 * Window#PIECE_BYTES} bytes. By the tree, the root and each member that passes on take 3 W for each child and piece.
 * One batch holds those of all children, ceil(log2 members) at most. Each other member takes A for a broadcast, and W
 * for each piece. Linear, the root takes W for each other member and piece, in one batch, and once W for each member.
 * Nothing goes to ranks that are no members.
 *
 * <p><b>Progress.</b> Every wait for a member that lives is bounded by the operation timeout, and the failure names the
 * member. A caller that had to give up waiting may {@link #flush} again. A member that is lost, or comes back, ends all
 * broadcasts of the window that are under way. They fail at every member with a {@link RankUnreachableException} that
 * names this member. What they have brought so far is there in part. The next broadcast works as soon as all members
 * are there again, and waits until each has opened the window. A member that comes back without its memory begins with
 * a zeroed window.
 */
public final class Broadcast {

    /** The bytes that go at once. Longer broadcasts go in pieces, one behind the other. */
    public static final long PIECE_BYTES = Window.PIECE_BYTES;

    /** This process's part, once it is opened. */
    record Part(Participant self, Window window, Arrivals arrivals) {

        Part(Participant self, Window window) {
            this(self, window, new Arrivals(self, window));
        }
    }

    private final String name;
    private final long bytes;
    private final Optional<Algorithm> algorithm;
    private final Supplier<LogGP> costs;
    private final Duration flushInterval;
    private final CollectiveLog log;
    private final Handle<Part> handle;
    // the last one that was sent through this object, if its caller was not told how it ended
    private volatile @Nullable OngoingBroadcast own;

    Broadcast(String name, long bytes, Optional<Algorithm> algorithm, Supplier<LogGP> costs, Duration flushInterval,
            CollectiveLog log, Handle<Part> handle) {
        this.flushInterval = flushInterval;
        this.name = name;
        this.log = log;
        this.bytes = bytes;
        this.algorithm = algorithm;
        this.costs = costs;
        this.handle = handle;
    }

    public String name() {
        return name;
    }

    /** Returns the bytes of the window. */
    public long bytes() {
        return bytes;
    }

    private Part part() {
        return handle.opened();
    }

    Window window() {
        return part().window();
    }

    public Team team() {
        return window().team();
    }

    // --- this rank's copy ---

    /** Copies into this rank's window. Cost: no verb. */
    public void write(long place, MemorySegment source) {
        check(place, source.byteSize());
        local().store(at(place), source, 0, source.byteSize());
    }

    /** Copies from this rank's window. Cost: no verb. */
    public void read(long place, MemorySegment target) {
        check(place, target.byteSize());
        local().load(at(place), target, 0, target.byteSize());
    }

    /** Returns this rank's window itself, for a phase in which no member sends to it. */
    public MemorySegment view() {
        return local().view(at(0), bytes);
    }

    private LocalMemory local() {
        return part().self().endpoint().fabric().local();
    }

    private long at(long place) {
        return window().local(window().block().data(place));
    }

    private void check(long place, long length) {
        if (place < 0 || length < Layouts.WORD || length > bytes - place || place % Layouts.WORD != 0
                || length % Layouts.WORD != 0) {
            throw new IllegalArgumentException("whole words of the window: broadcast=" + name + " windowBytes=" + bytes
                    + " place=" + place + " bytes=" + length);
        }
    }

    // --- the root ---

    /**
     * Sends what this rank has there to the same place at all other members, once its last broadcast is complete.
     * Returns when the data is on its way; see {@link #flush}. It uses the algorithm that the window was opened with,
     * or else the one that should take less time.
     *
     * @param place where it begins, a multiple of 8
     * @param length the number of bytes, a multiple of 8
     * @return its number, from 1, among this rank's broadcasts since a member was last lost or came back
     * @throws RankUnreachableException when a member is not there, or is lost meanwhile
     * @throws FabricTimeoutException when a member does not go on, or has not opened the window
     */
    public long send(long place, long length) {
        check(place, length);
        Window window = handle.use().window();
        window.senders().lock();
        try {
            flush(window);
            Algorithm chosen = algorithm
                    .orElseGet(() -> Algorithm.fastest(costs.get(), window.team().size(), length));
            await("open a window", window::absent, () -> 0, _ -> begins(window, place, length, chosen));
            OngoingBroadcast ongoingBroadcast = Objects.requireNonNull(window.last(), "begun");
            long beginNanos = System.nanoTime();
            ongoingBroadcast.logTo(log.begin(name, "broadcast", window.team().size(), length,
                    () -> late(window, ongoingBroadcast, beginNanos)));
            own = ongoingBroadcast;
            await("broadcast", window::straggler, ongoingBroadcast::sent, _ -> window.sendOn());
            refuseIfGivenUp(window);
            return ongoingBroadcast.number;
        } finally {
            window.senders().unlock();
        }
    }

    private static List<Late> late(Window window, OngoingBroadcast ongoingBroadcast, long beginNanos) {
        return window.unfinished(ongoingBroadcast)
                .stream()
                .map(rank -> new Late(rank, Duration.ofNanos(System.nanoTime() - beginNanos)))
                .toList();
    }

    private static boolean begins(Window window, long place, long length, Algorithm chosen) {
        if (!window.look()) {
            return false; // the broadcaster has the turn: it is not known yet which members are there
        }
        window.requireWhole(window.generation());
        return window.begin(place, length, chosen);
    }

    /**
     * Returns when this rank's last broadcast is at all members; at once if it never sent anything. It does not matter
     * through which object of the window this process sent it.
     *
     * @throws RankUnreachableException when a member was lost meanwhile. The broadcast is over then: the next call
     * returns at once
     * @throws FabricTimeoutException when a member does not go on; may be called again
     */
    public void flush() {
        Window window = window();
        OngoingBroadcast awaited = window.ongoingBroadcast();
        window.senders().lock();
        try {
            flush(window);
            if (awaited != null) {
                // Its sender may have been told while this caller waited for its turn.
                awaited.refuseIfGivenUp(window);
            }
        } finally {
            window.senders().unlock();
        }
    }

    private void flush(Window window) {
        OngoingBroadcast last = window.last();
        if (last != null) {
            await("broadcast", window::straggler, last::sent,
                    attempts -> window.sendOn() && window.isComplete(attempts));
            tellEnds(window, last);
        }
    }

    /**
     * Returns true if this rank's last broadcast is at all members, or if it never sent anything. Cost: none where the
     * own memory may be read directly, else R.
     *
     * @throws RankUnreachableException when a member was lost meanwhile
     */
    public boolean test() {
        Window window = window();
        OngoingBroadcast last = window.last();
        // A broadcast that is known to be complete counts so, even while the thread that passes on has its turn.
        boolean over = last == null || last.isComplete() || window.sendOn() && window.isComplete(0);
        if (over && last != null) {
            tellEnds(window, last);
        }
        return over;
    }

    /**
     * Tells the caller how the last broadcast through this object ended. Also tells how this rank's last broadcast
     * ended, unless another caller has been told.
     */
    private void tellEnds(Window window, OngoingBroadcast last) {
        OngoingBroadcast before = own;
        refuseIfGivenUp(window);
        if (last != before && !last.isTold()) {
            last.refuseIfGivenUp(window);
        }
    }

    private void refuseIfGivenUp(Window window) {
        OngoingBroadcast ongoingBroadcast = own;
        if (ongoingBroadcast != null && window.ongoingBroadcast() != ongoingBroadcast) {
            own = null;
            ongoingBroadcast.refuseIfGivenUp(window);
        }
    }

    /**
     * @param progress as long as it changes, the wait is not in vain
     * @param step is told how often it was tried since the last progress
     */
    private void await(String doing, IntSupplier suspect, LongSupplier progress, IntPredicate step) {
        Participant self = part().self();
        window().forgetFailure();
        Backoff backoff = patience(self);
        long before = progress.getAsLong();
        boolean inTime = true;
        try (Waits.Waiting _ = self.waits().begin(doing, self.rank())) {
            while (!step.test(backoff.attempts())) {
                if (progress.getAsLong() != before) {
                    before = progress.getAsLong();
                    backoff = patience(self);
                } else if (!inTime) {
                    throw late(doing, suspect.getAsInt(), self.reservations().timeout());
                }
                inTime = backoff.pause();
            }
        }
    }

    private Backoff patience(Participant self) {
        return new Backoff(self.endpoint().clock(), self.reservations().timeout(), flushInterval);
    }

    private FabricException late(String doing, int suspect, Duration timeout) {
        var late = new FabricTimeoutException("a member of the broadcast does not go on, look at its threads",
                "doing=[" + doing + "]", timeout, "broadcast", suspect, FabricException.WHOLE_SEGMENT);
        FabricException cause = window().lastFailure();
        if (cause != null) {
            late.initCause(cause);
        }
        return window().named(late);
    }

    // --- the others ---

    /**
     * Returns how many broadcasts of that rank have arrived here since a member was last lost or came back. Cost: none
     * where the own memory may be read directly, else R.
     */
    public long received(int root) {
        return part().arrivals().received(root);
    }

    /**
     * Waits for the next broadcast of that rank: the first one that this method has not returned yet. Returns the
     * number of the last one that has arrived.
     *
     * @throws RankUnreachableException when a member is not there, or was lost, or came back, since the last call
     */
    public long awaitNext(int root) throws InterruptedException {
        return awaitNext(root, Backoff.UNBOUNDED).orElseThrow();
    }

    /** Like {@link #awaitNext(int)}, but for a limited time. Returns empty if the time is over. */
    public OptionalLong awaitNext(int root, Duration timeout) throws InterruptedException {
        return handle.use().arrivals().awaitNext(root, timeout);
    }

    @Override
    public String toString() {
        return "Broadcast[" + name + "]";
    }

    /** The configuration that a window is opened with. Every member must ask for the same team and size. */
    public static final class Builder extends StructureBuilder<Broadcast, Builder> {

        private final Broadcaster broadcaster;
        private final CollectiveLog log;
        private Supplier<LogGP> costs;
        private long bytes;
        private Duration flushInterval;
        private Optional<Team> team = Optional.empty();
        private Optional<Algorithm> algorithm;

        /**
         * @param costs the costs by which the algorithm is chosen, unless the builder is given others
         * @param defaults what holds as long as the builder is told nothing else
         */
        public Builder(String name, Supplier<Participant> participant, Broadcaster broadcaster, Supplier<LogGP> costs,
                CollectiveLog log, CollectiveSettings defaults) {
            super(name, participant);
            this.log = log;
            this.broadcaster = broadcaster;
            this.costs = costs;
            this.bytes = defaults.windowBytes();
            this.flushInterval = defaults.flushInterval();
            this.algorithm = defaults.algorithm();
        }

        /**
         * Sets the bytes of the window at each member, a multiple of 8. Defaults to
         * {@link CollectiveSettings#windowBytes}.
         */
        public Builder bytes(long size) {
            this.bytes = size;
            return this;
        }

        /**
         * Sets how long this process sleeps at most between two checks that a broadcast is complete. Defaults to
         * {@link CollectiveSettings#flushInterval}.
         */
        public Builder flushInterval(Duration longest) {
            this.flushInterval = longest;
            return this;
        }

        /** Sets the members. Defaults to all ranks. */
        public Builder team(Team members) {
            this.team = Optional.of(members);
            return this;
        }

        /** Sets the algorithm with which this process sends. Defaults to {@link CollectiveSettings#algorithm}. */
        public Builder algorithm(Algorithm wanted) {
            this.algorithm = Optional.of(wanted);
            return this;
        }

        /**
         * Sets the costs by which this process chooses the algorithm, such as {@link
         * io.atoll.collective.Collectives#measureCosts}. Defaults to those of the fabric.
         */
        public Builder costs(LogGP measured) {
            this.costs = () -> measured;
            return this;
        }

        /** @throws IllegalArgumentException if this rank is no member of the team, when it is opened */
        @Override
        public Broadcast openLazily() {
            if (bytes < Layouts.WORD || bytes % Layouts.WORD != 0) {
                throw new IllegalArgumentException("a window has whole words: broadcast=" + name() + " bytes=" + bytes);
            }
            long size = bytes;
            Optional<Team> wanted = team;
            return new Broadcast(name(), size, algorithm, costs, flushInterval, log,
                    handle(self -> open(self, wanted, size)));
        }

        @Override
        protected Handle<?> handle(Broadcast broadcast) {
            return broadcast.handle;
        }

        private Part open(Participant self, Optional<Team> wanted, long size) {
            Team members = wanted.orElseGet(() -> Team.all(self.size()));
            members.position(self.rank());
            BroadcastBlock block = new BroadcastBlock(members.size(), size);
            Window.Finding finding = present -> members.select(present.directory()
                    .open(name(), "broadcast bytes=" + size + " team=" + members,
                            rank -> members.contains(rank) ? block.bytes() : 0, OnLoss.FAIL,
                            Replacement.zeroed(_ -> true)));
            long[] blocks = finding.find(self);
            // One for each process: it counts what goes through it. If a member has lost its segment, the window goes
            // on by itself.
            return new Part(self, self.shared(name(), () -> broadcaster.add(
                    new Window(self, members, block, blocks, Window.PIECE_BYTES, finding))));
        }
    }
}
