package io.atoll.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.memory.LocalMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor of this process. This object remembers what the thread that uses the descriptor has written into it.
 * Reading the heap costs less than reading the segment. A thread mostly has the same descriptor for the same lock, and
 * then need not write again.
 */
final class OwnDescriptor {

    /** Value of {@link #leftLine} without a lock. */
    static final long NOWHERE = -1;

    private static final long NEVER = -1;

    private final long line; // in lines of the segment: HotSpot checks no alignment where it sees a multiple
    private final long name;
    private final long note; // offset of its note

    /**
     * The hold that a thread could not release, until {@link DescriptorPool#sweep} releases it. A field: a thread whose
     * stack is full can call no method.
     */
    public volatile @Nullable Hold abandoned;

    /**
     * Offset of the lock whose queue the descriptor leads, and which no thread has passed on yet: see
     * {@link DescriptorPool#leaveToSweep}.
     */
    volatile long leftLine = NOWHERE;

    /**
     * Number of the thread that claimed the descriptor last; 0 for none yet. If the thread keeps the descriptor, it may
     * claim it by a load. The field needs no order. Another thread uses the descriptor only when its phase has told it
     * to.
     */
    private long threadId;

    private final long[] threadName = new long[Descriptor.NAME_BYTES / Long.BYTES];

    // The borrower has the descriptor for the rest of a turn in which the keeping thread has given up. A load does not
    // claim the descriptor for the borrower, so the borrower's own one stays its own.
    private long lentTurn = NEVER;
    private long borrowerId;

    private long lock;
    private long sinceMillis;

    // The thread that uses the descriptor writes these: for messages, and for the tick that shows the key.
    private final AtomicLong keyTurn = new AtomicLong(NEVER); // written after the key
    private @Nullable Object key; // null if the key is a number
    private long number;

    // the turn in which other threads may release what its thread has acquired
    private volatile long detachedTurn = NEVER;

    /**
     * @param name the name by which words of locks mean it
     * @param note the offset of its note
     */
    OwnDescriptor(long offset, long name, long note) {
        this.line = offset / Descriptor.SIZE;
        this.name = name;
        this.note = note;
    }

    /** Returns its number among those of its rank. */
    int index() {
        return Tail.index(name);
    }

    /** Returns the name by which words of locks mean it. */
    public long name() {
        return name;
    }

    /** Returns its name in the tail of an own lock that it alone wants, in the turn of that phase. */
    public long inTurn(long phase) {
        return Tail.inTurn(Phase.turn(phase), name);
    }

    /** Returns its offset, as one that is {@linkplain LocalMemory#line known} to the memory. */
    public long at(LocalMemory own) {
        return own.line(line * Descriptor.SIZE);
    }

    /**
     * Returns the phase. The read needs no order: each use begins by a release or an exchange, which no load passes.
     */
    public long phase(LocalMemory own) {
        return own.get(at(own) + Descriptor.PHASE);
    }

    /** Returns true if the thread has claimed it in that phase: the thread keeps it, and it is idle. */
    public boolean isClaimed(Thread thread, long phase) {
        return (Phase.kind(phase) ^ Phase.IDLE | threadId ^ thread.threadId()) == 0; // one branch for both
    }

    boolean isOf(Thread thread) {
        return threadId == thread.threadId();
    }

    /**
     * Notes the lock for which it is used from now on. Called before it is in a queue: entering one releases what is
     * written here.
     *
     * @param descriptor its offset
     */
    public void prepare(LocalMemory own, long descriptor, long lock, long nowMillis) {
        if (this.lock != lock) {
            this.lock = lock;
            own.set(descriptor + Descriptor.LOCK, lock);
        }
        if (sinceMillis != nowMillis) {
            noteTime(own, descriptor, nowMillis);
        }
    }

    void noteTime(LocalMemory own, long descriptor, long millis) {
        sinceMillis = millis;
        own.set(descriptor + Descriptor.SINCE, millis);
    }

    void noteKey(long turn, Object held) {
        key = held;
        keyTurn.setRelease(turn); // (7) written after the key: pairs with the tick that shows it
    }

    void noteKey(long turn, long held) {
        key = null;
        number = held;
        keyTurn.setRelease(turn); // (7)
    }

    void detach(long turn) {
        detachedTurn = turn;
    }

    /** Returns true if the thread holds a lock by it in that turn, and it alone may release the lock. */
    boolean isHeldBy(Thread thread, long turn) {
        long holderId = lentTurn == turn ? borrowerId : threadId;
        Hold left = abandoned; // read before detachedTurn: the sweep writes the two in the opposite order
        boolean isLeft = left != null && left.turn() == turn;
        return holderId == thread.threadId() && !isLeft && detachedTurn != turn;
    }

    /** Returns the key for which the lock is held in that turn; null if none was noted. */
    @Nullable Object key(long turn) {
        if (keyTurn.get() != turn) {
            return null;
        }
        return key == null ? Long.valueOf(number) : key;
    }

    /** Returns the text of the key that a tick shows, if the key belongs to that turn. */
    private @Nullable String shownKey(long turn) {
        if (keyTurn.getAcquire() != turn) { // (7) the key is that of the turn, or of a later one
            return null;
        }
        Object noted = key;
        // The text of another class might take long, or fail: it is the application's code.
        return switch (noted) {
            case null -> Long.toString(number);
            case String text -> text;
            case UUID id -> id.toString();
            case Integer count -> count.toString();
            case Long count -> count.toString();
            default -> null;
        };
    }

    /**
     * Shows the key's text to readers if the lock is held for a key in that turn. Does nothing if they see it already.
     * Called by one thread at a time.
     *
     * @param holding the phase, which is that of a holder
     */
    void showKey(LocalMemory own, long holding) {
        long turn = Phase.turn(holding);
        String text = own.get(note + Note.KEY_TURN) == Note.turn(turn) ? null : shownKey(turn);
        if (text == null) {
            return;
        }
        // (8) Before the phase is read again: if the turn lasts, the key was not that of a later turn.
        own.fullFence();
        if (own.getAcquire(at(own) + Descriptor.PHASE) != holding) {
            return;
        }
        own.setVolatile(note + Note.KEY_TURN, Note.NO_TURN);
        writeText(own, note + Note.KEY, words(text, Note.KEY_BYTES));
        // (11) written after the text: pairs with a reader, which reads the turn before the text
        own.setVolatile(note + Note.KEY_TURN, Note.turn(turn));
    }

    /**
     * Notes the grant. Written before other ranks see that the request holds the lock: its phase releases these words.
     */
    void noteGrant(LocalMemory own, long turn, long grant) {
        own.set(note + Note.TURN, Note.turn(turn));
        own.set(note + Note.GRANT, grant);
    }

    /** Clears the note at the beginning of this incarnation. */
    void begin(LocalMemory own) {
        own.setRelease(note + Note.TURN, Note.NO_TURN);
        own.setRelease(note + Note.KEY_TURN, Note.NO_TURN);
    }

    void noteThread(LocalMemory own, Thread thread) {
        threadId = thread.threadId();
        System.arraycopy(words(thread.getName(), Descriptor.NAME_BYTES), 0, threadName, 0, threadName.length);
        writeName(own, threadId, threadName);
    }

    /** Lends it to that thread for the rest of the turn. */
    void lend(LocalMemory own, long turn, Thread borrower) {
        long[] name = words(borrower.getName(), Descriptor.NAME_BYTES);
        borrowerId = borrower.threadId();
        lentTurn = turn;
        writeName(own, borrowerId, name);
    }

    /** Called before the turn ends in which it was lent. Allocates nothing. */
    void handBack(LocalMemory own) {
        writeName(own, threadId, threadName);
    }

    /** Returns the beginning of a text as words. */
    private static long[] words(String text, int bytes) {
        long[] words = new long[bytes / Long.BYTES];
        ByteBuffer.wrap(Arrays.copyOf(text.getBytes(UTF_8), bytes))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words);
        return words;
    }

    private void writeName(LocalMemory own, long id, long[] words) {
        own.setRelease(note + Note.THREAD, id);
        writeText(own, at(own) + Descriptor.THREAD, words);
    }

    private static void writeText(LocalMemory own, long offset, long[] words) {
        for (int word = 0; word < words.length; word++) {
            own.setRelease(offset + (long) word * Long.BYTES, words[word]);
        }
    }
}
