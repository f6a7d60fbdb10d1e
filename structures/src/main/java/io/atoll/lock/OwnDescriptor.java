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
 * A descriptor of this process. What stands in it the thread that uses it knows: a look at the heap costs less than one at the segment, and a thread mostly has the same descriptor for the same
 * lock.
 */
final class OwnDescriptor {

    /** No lock lies there. */
    static final long NOWHERE = -1;

    private static final long NEVER = -1;

    private final long line; // of the segment: where HotSpot sees a multiple, it does not check whether that is aligned
    private final long name;
    private final long note; // where that lies

    /** What a thread could not release, until {@link Locking#sweep} does. A field: a thread whose stack is full can call no method. */
    public volatile @Nullable Claim abandoned;

    /** Where the lock lies whose queue it leads, and which nobody has passed on yet: see {@link Descriptors#leaveToSweep}. */
    volatile long leftLine = NOWHERE;

    /** Whose thread may claim it by a load, for which it is kept; 0 for nobody yet. In no order: another thread uses the descriptor only when its phase has told it to. */
    private long threadId;

    private final long[] threadName = new long[Descriptor.NAME_BYTES / Long.BYTES];

    // Of the thread that has it for the rest of a turn in which its own one has given up. A load does not claim it for that thread, so the other one is its own still.
    private long lentTurn = NEVER;
    private long borrowerId;

    private long lock;
    private long sinceMillis;

    // Of the thread that uses the descriptor: for messages, and for who shows it.
    private final AtomicLong keyTurn = new AtomicLong(NEVER); // written after the key
    private @Nullable Object key; // null: a number
    private long number;

    private volatile long detachedTurn = NEVER; // in which others may release what its thread has acquired

    /**
     * @param name as words of locks name it
     * @param note where its note lies
     */
    OwnDescriptor(long offset, long name, long note) {
        this.line = offset / Descriptor.SIZE;
        this.name = name;
        this.note = note;
    }

    /** Among those of its rank. */
    int index() {
        return Tail.index(name);
    }

    /** As words of locks name it. */
    public long name() {
        return name;
    }

    /** As it stands in the tail of an own lock that it alone wants, in the turn of that phase. */
    public long inTurn(long phase) {
        return Tail.inTurn(Phase.turn(phase), name);
    }

    /** Where it lies, as it is {@linkplain LocalMemory#line known} to. */
    public long at(LocalMemory own) {
        return own.line(line * Descriptor.SIZE);
    }

    /** In no order: whatever is done with it begins by a release or an exchange, which no load passes. */
    public long phase(LocalMemory own) {
        return own.get(at(own) + Descriptor.PHASE);
    }

    /** Whether the thread has claimed it in that phase: it keeps it, and it is idle. */
    public boolean isClaimed(Thread thread, long phase) {
        return (Phase.kind(phase) ^ Phase.IDLE | threadId ^ thread.threadId()) == 0; // one branch for both
    }

    boolean isOf(Thread thread) {
        return threadId == thread.threadId();
    }

    /**
     * For that lock from now on. Before it is in a queue, which releases what stands in it.
     *
     * @param descriptor where it lies
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
        keyTurn.setRelease(turn); // (7) behind the key: pairs with the tick that shows it
    }

    void noteKey(long turn, long held) {
        key = null;
        number = held;
        keyTurn.setRelease(turn); // (7)
    }

    void detach(long turn) {
        detachedTurn = turn;
    }

    /** Whether the thread holds a lock by it in that turn, and nobody else is to release that. */
    boolean isHeldBy(Thread thread, long turn) {
        long holderId = lentTurn == turn ? borrowerId : threadId;
        Claim left = abandoned; // before the other, since the sweep writes them the other way round
        boolean isLeft = left != null && left.turn() == turn;
        return holderId == thread.threadId() && !isLeft && detachedTurn != turn;
    }

    /** The key for which the lock is held in that turn; null if nobody has noted one. */
    @Nullable Object key(long turn) {
        if (keyTurn.get() != turn) {
            return null;
        }
        return key == null ? Long.valueOf(number) : key;
    }

    /** At a tick, until the thread has the key's turn. */
    private @Nullable String shownKey(long turn) {
        if (keyTurn.getAcquire() != turn) { // (7) the key is that of the turn, or of a later one
            return null;
        }
        Object noted = key;
        // Of other classes, a text might take long, or fail: it is the application's code.
        return switch (noted) {
            case null -> Long.toString(number);
            case String text -> text;
            case UUID id -> id.toString();
            case Number count when count instanceof Integer || count instanceof Long -> count.toString();
            default -> null;
        };
    }

    /**
     * Shows the text of the key to those who look on, if it is held for one in that turn and they do not see it yet. By one thread at a time.
     *
     * @param holding the phase, which is that of a holder
     */
    void showKey(LocalMemory own, long holding) {
        long turn = Phase.turn(holding);
        String text = own.get(note + Note.KEY_TURN) == Note.turn(turn) ? null : shownKey(turn);
        if (text == null) {
            return;
        }
        // (8) Before the phase is read again: if the turn lasts, the key was not a later one's.
        own.fullFence();
        if (own.getAcquire(at(own) + Descriptor.PHASE) != holding) {
            return;
        }
        own.setVolatile(note + Note.KEY_TURN, Note.NO_TURN);
        writeText(own, note + Note.KEY, words(text, Note.KEY_BYTES));
        own.setVolatile(note + Note.KEY_TURN, Note.turn(turn)); // (11) behind the text: pairs with who looks on, and reads the turn before the text
    }

    /** Before others see that it holds the lock: the phase releases that. */
    void noteGrant(LocalMemory own, long turn, long grant) {
        own.set(note + Note.TURN, Note.turn(turn));
        own.set(note + Note.GRANT, grant);
    }

    /** Nothing is noted in this incarnation. */
    void begin(LocalMemory own) {
        own.setRelease(note + Note.TURN, Note.NO_TURN);
        own.setRelease(note + Note.KEY_TURN, Note.NO_TURN);
    }

    void noteThread(LocalMemory own, Thread thread) {
        threadId = thread.threadId();
        System.arraycopy(words(thread.getName(), Descriptor.NAME_BYTES), 0, threadName, 0, threadName.length);
        writeName(own, threadId, threadName);
    }

    /** For the rest of that turn it is that thread's. */
    void lend(LocalMemory own, long turn, Thread borrower) {
        long[] name = words(borrower.getName(), Descriptor.NAME_BYTES);
        borrowerId = borrower.threadId();
        lentTurn = turn;
        writeName(own, borrowerId, name);
    }

    /** Before the turn ends in which it was lent. Allocates nothing. */
    void handBack(LocalMemory own) {
        writeName(own, threadId, threadName);
    }

    /** The beginning of a text. */
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
