package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.Clock;
import io.atoll.fabric.Connections.Traffic;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.link.Lane;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.StackRoom;
import io.atoll.memory.StackSafeLock;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection to a rank, as the process sees it that calls verbs. It has no thread of its own to read answers. One
 * of the waiting threads reads for all: the leader.
 *
 * <p>Frames are numbered in the order in which they are posted. Three numbers say how far they have come:
 * <pre>
 *   1 ........... completed ........... handed ......... posted
 *   +-----------------+--------------------+----------------+
 *   | the answer      | the socket has     | in the outbox  |
 *   | is here         | it, at least partly|                |
 *   +-----------------+--------------------+----------------+
 * </pre>
 *
 * <p><b>Sending.</b> A thread lays its frame out in the buffer of the lane, under the lock. It writes the buffer to the
 * socket at once. If the thread waits next, it does so only while the window is open. Otherwise its frame is gathered,
 * and the thread that reads the next answer writes it together with others. The window follows the round trip; see
 * {@link Window}.
 *
 * <p><b>Reading.</b> A waiting thread takes the lead if no other thread has it. It waits for answers, and places their
 * results in the memory of all waiters. It leaves when its own answer has come, and wakes another waiting thread. It
 * waits by the {@linkplain WaitingWire wire} if it can, and if all frames are written: that is one system call less.
 * Otherwise it waits by a selector, for answers and for room. A frame that is cut off while a leader waits by the wire
 * goes on when an answer comes. One comes, since that leader's own frame was written. Happens-before:
 * <ol>
 * <li>the leader places results, then sets {@link #completed} (a volatile store), then wakes the thread that waits for
 * them;
 * <li>a waiting thread announces itself (a volatile store), then looks at {@link #completed}, then at {@link #leaders};
 * only then it parks;
 * <li>a leader that leaves clears {@link #leaders} (a volatile store), then looks for a thread that has announced
 * itself.
 * </ol>
 * So if a leader leaves while a thread comes, one of them sees the other. A virtual thread never leads, since a
 * selector would block its carrier: a {@link LaneReader} leads for it.
 *
 * <p>A lane that has failed never recovers. The leader tells the threads of the failure. So a thread never learns of it
 * while an answer is being placed in its memory.
 */
final class TcpLane implements Lane {

    /** Says when a frame goes out. */
    enum Urgency {
        /** No thread will wait for it. */
        UNAWAITED,
        /** A thread may wait for it later. */
        AWAITED,
        /** The thread that posts it waits for it next, so another thread may write it. */
        AWAITED_AT_ONCE,
        /** Its thread posts another frame next, and both are written together. */
        FOLLOWED
    }

    private static final int ANSWER_INTERVAL = 64; // frames; only an answer frees their places in the ring
    private static final long SELECT_MILLIS = 250;
    /** As long as a selection lasts. A shorter wait would make the kernel program a timer for each wait. */
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(SELECT_MILLIS);
    private static final int MOST_READS = 16; // in a row, by a reader of several lanes
    private static final String ERROR = "an error in a thread that used the connection";
    private static final Consumer<SelectionKey> READY = _ -> {};
    private static final AtomicIntegerFieldUpdater<TcpLane> LEADERS = AtomicIntegerFieldUpdater
            .newUpdater(TcpLane.class, "leaders");

    private final int rank;
    private final long segmentBytes;
    private final Wire wire;
    private final @Nullable WaitingWire waitingWire; // the wire, if a leader can wait by it
    private final Arena arena = Arena.ofShared(); // of the bytes to send and the bytes that have arrived
    private final Selector selector;
    private final SelectionKey key;
    private final LaneReader reader;
    private final LaneMonitor laneMonitor;
    private final Clock clock;

    // --- sending: written under the lock ---
    private final StackSafeLock sending = new StackSafeLock();
    private final Outbox outbox;
    private final Window window;
    private final FrameRing ring = new FrameRing();
    private volatile long posted;
    private volatile long lastAnswered; // the last frame that asks for an answer
    private long lastUnawaited; // the last frame that no thread waits for
    private long handed; // the last frame that the socket has at least partly
    private long writes;
    private volatile boolean unsent; // true if the outbox has bytes that the socket has not taken

    // --- reading: written by the leader ---
    private volatile int leaders; // 1 while a thread leads, otherwise 0
    private final Inbox inbox;
    private final Spin spin;
    private final Inbox.Taking taking = this::take;
    private volatile long completed;
    private volatile long heard; // bytes
    private volatile @Nullable Selector waitsIn; // where the last waiting leader waited

    private final LateVerbs.Connection late = new LateVerbs.Connection(); // begins before the lane breaks
    private volatile boolean hasFallenSilent; // written before the next field
    private volatile @Nullable String broken; // the reason; the waiting threads do not know it yet
    private volatile @Nullable String failure; // the same reason, when the waiting threads may know it
    private volatile @Nullable String closed; // the reason
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean endsByItself; // true if it was closed before it broke

    /**
     * @param wire connected, after its handshake, and not blocking; closed with the lane
     * @param spin used by the leader
     */
    TcpLane(int rank, long segmentBytes, Wire wire, LaneReader reader, LaneMonitor laneMonitor, Clock clock, Spin spin)
            throws IOException {
        this.rank = rank;
        this.segmentBytes = segmentBytes;
        this.wire = wire;
        this.waitingWire = wire instanceof WaitingWire waiting ? waiting : null;
        this.reader = reader;
        this.laneMonitor = laneMonitor;
        this.clock = clock;
        this.window = new Window(clock);
        this.spin = spin;
        boolean isOpen = false;
        try {
            this.outbox = new Outbox(arena);
            this.inbox = new Inbox(arena);
            this.key = register(wire.channel());
            isOpen = true;
        } finally {
            if (!isOpen) {
                arena.close();
            }
        }
        this.selector = key.selector();
    }

    private static SelectionKey register(SocketChannel channel) throws IOException {
        Selector opened = channel.provider().openSelector();
        boolean isRegistered = false;
        try {
            SelectionKey key = channel.register(opened, SelectionKey.OP_READ);
            isRegistered = true;
            return key;
        } finally {
            if (!isRegistered) {
                opened.close();
            }
        }
    }

    SocketChannel channel() {
        return wire.channel();
    }

    @Override
    public long segmentBytes() {
        return segmentBytes;
    }

    @Override
    public boolean isUsable() {
        return closed == null && broken == null;
    }

    @Override
    public long posted() {
        return posted;
    }

    @Override
    public boolean hasLostWrites() {
        sending.lock();
        try {
            return !isUsable() && lastUnawaited > completed;
        } finally {
            sending.unlock();
        }
    }

    @Override
    public LateVerbs.Connection late() {
        return late;
    }

    // --- sending ---

    /**
     * Posts verbs as one frame. If it ends with an error, nothing is placed in the memory of the thread any more.
     *
     * @param requestBytes the size of the frame
     * @param answerBytes the size of the answer
     * @return the number of the frame
     */
    long post(VerbList list, int first, int count, int requestBytes, int answerBytes, Urgency urgency, String verb,
            long offset) {
        try {
            return postFrame(list, first, count, requestBytes, answerBytes, urgency, verb, offset);
        } catch (Error failure) {
            giveUp();
            throw failure;
        }
    }

    private long postFrame(VerbList list, int first, int count, int requestBytes, int answerBytes, Urgency urgency,
            String verb, long offset) {
        boolean isAwaited = urgency != Urgency.UNAWAITED;
        for (int attempt = 0;; attempt++) {
            sending.lock();
            try {
                check(posted + 1, verb, offset);
                if (hasRoomFor(requestBytes, isAwaited ? answerBytes : 0)) {
                    int changes = list.encode(first, count, outbox.memory(), outbox.verbs());
                    long number = add(isAwaited ? list : null, first, count, requestBytes, answerBytes, isAwaited,
                            changes);
                    lastUnawaited = isAwaited ? lastUnawaited : number;
                    if (goesOut(urgency)) {
                        sendPosted();
                    }
                    if (isAwaited || !unsent) {
                        return number;
                    }
                    break;
                }
                sendPosted();
            } finally {
                sending.unlock();
            }
            pollOrPause(attempt);
        }
        awaitSent();
        return posted;
    }

    private boolean goesOut(Urgency urgency) {
        return switch (urgency) {
            case UNAWAITED, AWAITED -> true;
            case AWAITED_AT_ONCE -> window.isOpen(completed);
            case FOLLOWED -> false;
        };
    }

    private boolean hasRoomFor(int requestBytes, int answerBytes) {
        return ring.hasRoomFor(posted + 1, completed, answerBytes) && outbox.hasRoomFor(requestBytes);
    }

    /** Adds a frame, whose verbs are laid out. An error adds nothing. */
    private long add(@Nullable Waiter waiter, int first, int count, int requestBytes, int answerBytes,
            boolean isAwaited, int changes) {
        long number = posted + 1;
        boolean answer = isAwaited || number - lastAnswered >= ANSWER_INTERVAL;
        ring.put(number, waiter, first, count, isAwaited ? answerBytes : 0, changes);
        outbox.add(number, count, requestBytes, answer);
        unsent = true;
        if (answer) {
            lastAnswered = number;
        }
        posted = number;
        return number;
    }

    /** Writes as much to the socket as it takes. If something is left, makes a waiting leader wait for room, too. */
    private void sendPosted() {
        send();
        if (unsent) {
            wakeLeader();
        }
    }

    /** Writes as much to the socket as it takes. */
    private void send() {
        if (!unsent || !isUsable()) {
            return;
        }
        boolean isOver = false;
        try {
            handed = posted;
            writes++;
            if (outbox.sendBy(wire)) {
                window.sent(lastAnswered); // not before: an owner cannot answer a frame that is cut off
                unsent = false;
            }
            isOver = true;
        } catch (IOException | RuntimeException lost) {
            isOver = true;
            breakDown(lost);
        } finally {
            spoilUnless(isOver);
        }
    }

    /**
     * Breaks the lane after an error: it is unknown what part of a frame was sent or received. The next leader tells
     * the waiters.
     */
    private void spoilUnless(boolean isOver) {
        if (!isOver) {
            noteBroken(ERROR);
        }
    }

    /** Makes the lane unusable. It is not known yet what was under way, so its changes may be late. */
    private void noteBroken(String why) {
        if (broken == null) {
            try {
                late.begin();
            } finally {
                broken = why;
            }
        }
    }

    /**
     * Waits until the socket has taken a frame that no thread waits for. Reads meanwhile: otherwise each side might
     * wait until the other one reads.
     */
    private void awaitSent() {
        for (int attempt = 0; unsent && isUsable(); attempt++) {
            pollOrPause(attempt);
            sending.lock();
            try {
                send();
            } finally {
                sending.unlock();
            }
        }
    }

    private void pollOrPause(int attempt) {
        if (!poll()) {
            clock.pause(attempt);
        }
    }

    /** Posts a frame without verbs that asks for an answer, and returns its number. */
    private long mark() {
        for (int attempt = 0;; attempt++) {
            sending.lock();
            try {
                check(posted + 1, "flush", FabricException.WHOLE_SEGMENT);
                boolean isAdded = addMark();
                sendPosted();
                if (isAdded) {
                    return posted;
                }
            } finally {
                sending.unlock();
            }
            pollOrPause(attempt);
        }
    }

    private boolean addMark() {
        boolean fits = hasRoomFor(Frame.HEADER_BYTES, 0);
        if (fits) {
            add(new Waiter(), 0, 0, Frame.HEADER_BYTES, 0, true, 0);
        }
        return fits;
    }

    // --- waiting ---

    @Override
    public boolean isDone(long number, String verb, long offset) {
        if (isComplete(number, verb, offset)) {
            return true;
        }
        try {
            poll();
        } catch (Error failure) {
            giveUp();
            throw failure;
        }
        return isComplete(number, verb, offset);
    }

    private boolean isComplete(long number, String verb, long offset) {
        if (completed >= number) {
            return true;
        }
        check(number, verb, offset);
        return false;
    }

    @Override
    public void flush() {
        if (completed < posted) {
            await(mark(), "flush", FabricException.WHOLE_SEGMENT);
        }
    }

    /**
     * Waits for an answer. An interrupt does not end the wait: the answer must not arrive in memory that has another
     * use by then. The interrupt is restored afterwards. An error ends both the wait and the lane.
     *
     * @param number of a frame that asks for an answer
     */
    @Override
    public void await(long number, String verb, long offset) {
        if (isComplete(number, verb, offset)) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            while (!isComplete(number, verb, offset)) {
                StackRoom.requireToLock();
                if (Thread.currentThread().isVirtual() || !lead()) {
                    park(number);
                } else {
                    leadUntil(number);
                }
                interrupted |= Thread.interrupted();
            }
        } catch (Error failure) {
            giveUp();
            throw failure;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for another thread to read the answer. */
    private void park(long number) {
        Waiter waiter = waiterOf(number);
        if (waiter == null) {
            return; // it has just completed
        }
        waiter.announce(this, number); // 2.
        try {
            if (completed >= number || failure != null || closed != null) {
                return;
            }
            if (leaders > 0) {
                waiter.park(PARK_NANOS);
            } else if (Thread.currentThread().isVirtual()) {
                reader.lead(this);
                waiter.park(PARK_NANOS);
            }
        } finally {
            waiter.withdraw();
        }
    }

    /** Takes the lock, so that no other number takes the frame's place in the ring. */
    private @Nullable Waiter waiterOf(long number) {
        sending.lock();
        try {
            return completed < number ? ring.waiter(number) : null;
        } finally {
            sending.unlock();
        }
    }

    /**
     * Breaks the lane after an error. When it returns, nothing is placed in the memory of the calling thread any more.
     */
    private void giveUp() {
        spoilUnless(false);
        if (awaitLead()) {
            leave();
        }
    }

    // --- reading ---

    /** Takes the lead. Returns false if another thread has it. */
    boolean lead() {
        return leaders == 0 && LEADERS.compareAndSet(this, 0, 1);
    }

    /**
     * Takes the lead of a broken lane; the present leader leaves because the lane is broken. Returns false if the lane
     * is closed: no thread leads it any more.
     */
    private boolean awaitLead() {
        while (!lead()) {
            if (closed != null) {
                return false;
            }
            wakeLeader();
            Thread.yield(); // the leader may be a virtual thread that needs the same carrier
        }
        return true;
    }

    /** Gives up the lead, and wakes a waiting thread. */
    void leave() {
        leaders = 0; // 3.
        hasLeft();
    }

    private void hasLeft() {
        if (broken != null) {
            tellFailure();
        } else if (completed < posted) {
            wakeOne();
        }
    }

    private void wakeOne() {
        long last = posted;
        for (long number = completed + 1; number <= last; number++) {
            Thread parked = parkedFor(number);
            if (parked != null) {
                if (parked.isVirtual()) {
                    reader.lead(this);
                } else {
                    LockSupport.unpark(parked);
                }
                return;
            }
        }
    }

    /** Returns the thread that waits for this answer or an earlier one of its batch, if it has announced itself. */
    private @Nullable Thread parkedFor(long number) {
        Waiter waiter = ring.waiter(number);
        return waiter == null ? null : waiter.parkedFor(this, Long.MAX_VALUE);
    }

    private void leadUntil(long number) {
        try {
            // For an interrupted thread a selector would return at once, over and over.
            while (completed < number && isUsable() && !Thread.currentThread().isInterrupted()) {
                waitAndRead();
            }
        } finally {
            leaders = 0; // 3. Not by a call: after a stack overflow there may be no room for one
            hasLeft();
        }
    }

    /**
     * Looks for answers before it sleeps. Then waits by the wire if only answers are awaited, since a selector costs
     * one call more.
     */
    private void waitAndRead() {
        while (spin.goesOn()) {
            if (readAll(Integer.MAX_VALUE)) {
                spin.found();
                return;
            }
        }
        spin.sleeps();
        if (waitingWire != null && interest() == SelectionKey.OP_READ) {
            readAll(Integer.MAX_VALUE, waitingWire);
        } else {
            select();
            readAll(Integer.MAX_VALUE);
        }
    }

    private void select() {
        waitsIn = selector;
        try {
            int interest = interest();
            if (key.interestOps() != interest) {
                key.interestOps(interest);
            }
            if (isUsable()) {
                selector.select(READY, SELECT_MILLIS);
            }
        } catch (IOException | CancelledKeyException lost) {
            breakDown(lost);
        }
    }

    /** Returns what the leader has to wait for: answers, and room for frames that were gathered or cut off. */
    int interest() {
        return unsent && window.isOpen(completed)
                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                : SelectionKey.OP_READ;
    }

    /**
     * Reads what has arrived and sends what was gathered. Called by the leader. Returns true if something has arrived.
     */
    boolean readAll(int mostReads) {
        return readAll(mostReads, null);
    }

    /** @param waiting the wire by which to wait before the first read; null if the thread does not wait */
    private boolean readAll(int mostReads, @Nullable WaitingWire waiting) {
        boolean any = false;
        boolean isOver = false;
        try {
            for (int reads = 0; reads < mostReads && isUsable(); reads++) {
                int bytes = waiting != null && reads == 0 ? inbox.awaitBy(waiting) : inbox.receiveBy(wire);
                if (bytes == 0) {
                    break;
                }
                any = true;
                heard = heard + bytes;
                inbox.takeAll(taking);
                if (!inbox.mayHaveMore()) {
                    break;
                }
            }
            isOver = true;
        } catch (IOException | RuntimeException lost) {
            // This also happens if a thread's memory can no longer be written to. Other threads must not receive that
            // exception.
            isOver = true;
            breakDown(lost);
        } finally {
            spoilUnless(isOver);
        }
        sendGathered();
        return any;
    }

    private void sendGathered() {
        if (unsent && sending.tryLock()) {
            try {
                if (window.isOpen(completed)) {
                    send();
                }
            } finally {
                sending.unlock();
            }
        }
    }

    private void take(MemorySegment in, int at, int bytes) throws MalformedFrameException {
        long number = in.get(JAVA_LONG, at + Frame.NUMBER);
        int status = in.get(JAVA_SHORT, at + Frame.STATUS);
        if (number <= completed || number > posted || status != 0) {
            throw new MalformedFrameException("an answer that nobody waits for: number=" + number + " status=" + status
                    + " completed=" + completed + " posted=" + posted);
        }
        for (long silent = completed + 1; silent < number; silent++) {
            if (ring.waiter(silent) != null) {
                throw new MalformedFrameException("an answer is missing: number=" + silent + " answered=" + number);
            }
        }
        Waiter waiter = ring.waiter(number);
        if (waiter != null) {
            waiter.take(ring.first(number), ring.verbs(number), in, at + Frame.HEADER_BYTES,
                    bytes - Frame.HEADER_BYTES);
            ring.clear(number);
        } else if (bytes != Frame.HEADER_BYTES) {
            throw new MalformedFrameException("results of what has none: bytes=" + bytes);
        }
        completed = number; // 1.
        window.answered(number);
        if (waiter != null) {
            LockSupport.unpark(waiter.parkedFor(this, number));
        }
    }

    /** Reads what has arrived, if no thread leads. Returns true if something has arrived. Does not wait. */
    boolean poll() {
        StackRoom.requireToLock();
        if (!lead()) {
            return false;
        }
        try {
            return readAll(1);
        } finally {
            leaders = 0; // 3.
            hasLeft();
        }
    }

    /**
     * Reads for a reader that leads several lanes. Reads a limited number of times, so that the others have their turn.
     */
    void readForOthers() {
        readAll(MOST_READS);
    }

    /**
     * Returns true if a reader has to keep leading. That is not so for platform threads: they lead sooner than they
     * could be woken.
     */
    boolean isAwaitedByVirtual() {
        long last = isUsable() ? lastAnswered : 0;
        for (long number = completed + 1; number <= last; number++) {
            Thread parked = parkedFor(number);
            if (parked != null && parked.isVirtual()) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if more may be read, even if a selector does not say so. Called by the leader. */
    boolean hasMore() {
        return isUsable() && inbox.mayHaveMore();
    }

    /** Sets where the leader waits, so that it can be woken. */
    void waitsIn(Selector other) {
        waitsIn = other;
    }

    // --- failing ---

    private void breakDown(Exception lost) {
        breakDown(lost.getMessage() == null ? lost.getClass().getSimpleName() : lost.getMessage());
    }

    /** Breaks the lane, because an answer is due and nothing has been heard for this time. */
    void fallSilent(Duration timeout) {
        hasFallenSilent = true;
        breakDown("silent for " + timeout.toMillis() + " ms");
    }

    /** Ends the connection. Everything that has not completed has failed. */
    void breakDown(String why) {
        noteBroken(why);
        tellFailure();
    }

    /**
     * Tells the waiters of the failure, if no thread leads. Otherwise wakes the leader, which tells them when it
     * leaves. The alarm is raised even if an error has broken the lane. The rank may have ended as well, and the error
     * may have struck the thread that was finding this out.
     */
    private void tellFailure() {
        if (lead()) {
            boolean isNew = false;
            try {
                isNew = fail();
            } finally {
                leaders = 0;
            }
            wakeAll();
            raiseAlarm(isNew);
        } else {
            wakeLeader();
        }
    }

    private void raiseAlarm(boolean isNew) {
        if (isNew && !endsByItself) {
            laneMonitor.noteBroken(rank);
        }
    }

    /** Makes the failure known. Called by the thread that has the lead. Returns true if it was not known yet. */
    private boolean fail() {
        sending.lock();
        try {
            boolean isNew = failure == null;
            if (isNew) {
                int unknown = unknownOutcomes();
                laneMonitor.countUnknown(unknown);
                if (unknown == 0) {
                    late.end();
                } else {
                    late.begin(); // again: an error may have come before it when the lane broke
                }
                failure = broken; // after that: who is told sees that changes may be late
            }
            return isNew;
        } finally {
            sending.unlock();
        }
    }

    /** Returns how many verbs that change something may have been executed or not. */
    private int unknownOutcomes() {
        int unknown = 0;
        for (long number = completed + 1; number <= handed; number++) {
            unknown += ring.changes(number);
        }
        return unknown;
    }

    /** Wakes a leader that waits by a selector. If the lane is broken, also one that waits by the wire. */
    private void wakeLeader() {
        Selector waiting = waitsIn;
        if (waiting != null) {
            waiting.wakeup();
        }
        if (waitingWire != null && !isUsable()) {
            waitingWire.endWaits();
        }
    }

    private void wakeAll() {
        for (long number = completed + 1; number <= posted; number++) {
            LockSupport.unpark(parkedFor(number));
        }
    }

    private void check(long number, String verb, long offset) {
        String why = closed;
        if (why != null && completed < number) {
            throw new RankUnreachableException(why, verb, rank, offset);
        }
        String lost = failure;
        if (lost != null && completed < number) {
            throw new RankUnreachableException("the connection broke, repeat the operation", "status=[" + lost + "]",
                    verb, rank, offset);
        }
    }

    @Override
    public void close(String why) throws IOException {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        if (broken == null) {
            endsByItself = true;
            noteBroken(why);
        }
        awaitLead();
        // No other thread leads from now on, so no thread's memory is written to.
        boolean isNew = fail();
        closed = why;
        wakeAll();
        raiseAlarm(isNew);
        laneMonitor.forget(this);
        try (selector; wire) {
            giveMemoryBack();
            reader.forget(this);
        }
    }

    /** Frees the memory. No thread leads or posts: threads that come later learn that the lane has ended. */
    private void giveMemoryBack() {
        sending.lock();
        try (arena) {
            ring.clear();
        } finally {
            sending.unlock();
        }
    }

    // --- what looks after the lane ---

    int rank() {
        return rank;
    }

    /** Returns why the lane cannot be used, or null. */
    @Override
    public @Nullable String broken() {
        return broken;
    }

    @Override
    public boolean hasFallenSilent() {
        return hasFallenSilent;
    }

    @Override
    public long unanswered() {
        return posted - completed;
    }

    Duration roundTrip() {
        return window.roundTrip();
    }

    /** Returns the lane's traffic. */
    Traffic traffic() {
        sending.lock();
        try {
            return new Traffic(posted, writes, outbox.addedBytes(), heard, 0);
        } finally {
            sending.unlock();
        }
    }

    /** Returns how many bytes have arrived. */
    @Override
    public long heard() {
        return heard;
    }

    /** Returns true if an answer is due, or if something has to be sent. */
    boolean isWaiting() {
        return completed < lastAnswered || unsent;
    }

    /** Adds a mark, which the owner answers. */
    @Override
    public void ask() {
        sending.lock();
        try {
            if (isUsable() && addMark()) {
                sendPosted();
            }
        } finally {
            sending.unlock();
        }
    }
}
