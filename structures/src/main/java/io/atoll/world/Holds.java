package io.atoll.world;

import io.atoll.memory.Layouts;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The words that threads of this process hold, so that no two of them reserve the same word at the same time. A hold is
 * a slot that has the word. Each word has a few slots, which it shares with others of its owner:
 * <pre>
 *   owner 0                    owner 1                               spare
 *   +----+----+----+----+-- --+----+----+----+----+----+----+-- --+----+----
 *   |    | w  |    | x  |     |    |    |    |    | y  |    |     |    |       words: 0, or the word that is held
 *   +----+----+----+----+-- --+----+----+----+----+----+----+-- --+----+----
 *   |    | u  |    | u  |     |    | u  |    |    | u  |    |     | u  |       undoings: of those who hold them
 *   +----+----+----+----+-- --+----+----+----+----+----+----+-- --+----+----
 *    slots of w, x, ...
 * </pre>
 * To take a hold:
 * <ul>
 * <li>(1) look at the word's slots: none has the word, and one is free;
 * <li>(2) exchange that one, from free to the word;
 * <li>(3) look at the word's slots again. If another one has the word, free this one: nothing is taken;
 * <li>(4) release the hold: free the slot. A thread that does not see the word there at (1) sees all that the holder
 * did.
 * </ul>
 * Two threads that take the same word both pass (2) if they have chosen different slots. The one that comes second to
 * (2) sees the other's word at (3). So at most one of them takes it; both may fail, and try again.
 *
 * <p>The undoing that a slot may come to need is made before (2), and so before anything is reserved: once there is
 * something to undo, there may be no memory. It belongs to the thread that has the hold. If an undoing must come first,
 * the thread {@linkplain #put puts} it, and the hold is not free until it is done.
 *
 * <p>Each owner has slots of its own: an undoing that waits for an owner that is gone must not block the words of other
 * owners. Spare slots follow, for undoings of words that need no hold.
 */
class Holds {

    /** Instead of a hold, if no other thread must be kept out. */
    static final int NONE = -1;

    /** Instead of a hold, if another thread is in the way. */
    static final int NOT_TAKEN = -2;

    static final int SPARE = 64;

    private static final int FREE = 0;
    private static final int TAKEN = 1; // of a spare slot

    private static final int LOG_SLOTS_OF_WORD = 2;
    private static final int SLOTS_OF_WORD = 1 << LOG_SLOTS_OF_WORD;

    // Of 256 words that a batch reserves at one owner, hardly one finds its slots taken by others. If there are many
    // owners, the words of a batch are spread over them, so each has fewer slots. All of them take 2 MiB up to 128
    // owners; from 256 on each takes 8 KiB. The undoings of those that were taken take nine times as much.
    private static final int LOG_FEWEST = 10;
    private static final int LOG_MOST = 11;
    private static final int LOG_ALL = 18;

    /** 2^64 divided by the golden ratio: its multiples spread evenly over the high bits. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final int logSlotsOfOwner;
    private final AtomicIntegerArray words;
    private final AtomicReferenceArray<@Nullable Undoing> undoings;

    Holds(int owners) {
        int logOwners = Integer.SIZE - Integer.numberOfLeadingZeros(owners - 1);
        this.logSlotsOfOwner = Math.clamp(LOG_ALL - logOwners, LOG_FEWEST, LOG_MOST);
        this.words = new AtomicIntegerArray((owners << logSlotsOfOwner) + SPARE);
        this.undoings = new AtomicReferenceArray<>(words.length());
        for (int spare = words.length() - SPARE; spare < words.length(); spare++) {
            undoings.set(spare, new Undoing(spare));
        }
    }

    /** Returns what stands for the word in its slot. Beyond 32 GiB of a segment, another word may have the same. */
    static int word(long offset) {
        long number = offset / Layouts.WORD + 1;
        int folded = (int) (number ^ number >>> Integer.SIZE);
        return folded == FREE ? TAKEN : folded;
    }

    /** Returns the number of all holds. */
    int count() {
        return words.length();
    }

    /** Returns the hold of this word, or {@link #NOT_TAKEN}. Does not wait. */
    int take(int owner, int word) {
        int first = firstSlot(owner, word);
        int free = NOT_TAKEN;
        for (int slot = first; slot < first + SLOTS_OF_WORD; slot++) {
            int held = words.get(slot); // (1)
            if (held == word) {
                return NOT_TAKEN;
            }
            if (held == FREE && free == NOT_TAKEN) {
                free = slot;
            }
        }
        return free != NOT_TAKEN && take(first, free, word) ? free : NOT_TAKEN;
    }

    private boolean take(int first, int free, int word) {
        makeUndoing(free);
        if (!words.compareAndSet(free, FREE, word)) { // (2)
            return false;
        }
        boolean isTaken = false;
        try {
            isTaken = !isElsewhere(first, free, word);
            return isTaken;
        } finally {
            if (!isTaken) {
                release(free);
            }
        }
    }

    private boolean isElsewhere(int first, int own, int word) {
        for (int slot = first; slot < first + SLOTS_OF_WORD; slot++) {
            if (slot != own && words.get(slot) == word) { // (3)
                return true;
            }
        }
        return false;
    }

    private int firstSlot(int owner, int word) {
        int logSets = logSlotsOfOwner - LOG_SLOTS_OF_WORD;
        int set = (int) (word * SPREAD >>> Long.SIZE - logSets);
        return owner << logSlotsOfOwner | set << LOG_SLOTS_OF_WORD;
    }

    /** Between (1) and (2). */
    void makeUndoing(int slot) {
        if (undoings.get(slot) == null) {
            undoings.compareAndSet(slot, null, new Undoing(slot));
        }
    }

    /** Takes a spare hold. Returns {@link #NONE} if there is none. */
    int takeSpare() {
        for (int spare = words.length() - SPARE; spare < words.length(); spare++) {
            if (words.compareAndSet(spare, FREE, TAKEN)) {
                return spare;
            }
        }
        return NONE;
    }

    void release(int hold) {
        words.setRelease(hold, FREE); // (4)
    }

    /** Returns the word of a hold that this thread has. */
    int word(int hold) {
        return words.get(hold);
    }

    /** Returns the undoing that belongs to the thread that has the hold. */
    Undoing undoing(int hold) {
        return Objects.requireNonNull(undoings.get(hold));
    }

    /** Lets other threads find the undoing. They may do it, and then release its hold. Allocates nothing. */
    void put(Undoing undoing) {
        undoing.isPut = true;
    }

    /** The undoing is done, so its hold is released. */
    void end(Undoing undoing) {
        undoing.isPut = false;
        release(undoing.hold);
    }

    /** Returns the undoing that was put into that hold, or null. */
    @Nullable Undoing put(int hold) {
        Undoing undoing = undoings.get(hold);
        return undoing != null && undoing.isPut ? undoing : null;
    }

    /** Returns an undoing that must be done before the word can be held, or null. */
    @Nullable Undoing inTheWay(int owner, int word) {
        int first = firstSlot(owner, word);
        Undoing any = null;
        boolean isFull = true;
        for (int slot = first; slot < first + SLOTS_OF_WORD; slot++) {
            int held = words.get(slot);
            Undoing undoing = put(slot);
            if (held == word) {
                return undoing;
            }
            isFull &= held != FREE;
            any = undoing == null ? any : undoing;
        }
        return isFull ? any : null;
    }
}
