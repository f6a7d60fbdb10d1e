package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Further facts of a {@link Descriptor} for readers: two cache lines of its rank's segment. No lock depends on it.
 * <pre>
 *       0          8        16        24         32                 128
 *       +----------+--------+---------+----------+--------//---------+
 *       |  thread  |  turn  |  grant  | key turn |        key        |
 *       +----------+--------+---------+----------+--------//---------+
 * </pre>
 * The thread is the number, in its process, of the thread that uses the descriptor. Grant is the word by which the
 * request of that turn has the lock. It is a {@link Grant} of the request's own token, and of the budget that the
 * request has left. An owner's thread that found its lock free notes no grant; its token stands in the
 * {@link LockLine}. The key is the beginning of the text for which the lock is held in the key's turn. Turns are those
 * of the {@link Phase} plus one: zero means none.
 *
 * <p>The requester's thread writes all words but the key and its turn. Its process writes those two at a tick. So a
 * thread that holds a lock for less than a tick shows no key, and pays nothing.
 */
final class Note {

    private static final int KEY_WORDS = 12;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("thread"), //
            Layouts.word("turn"), //
            Layouts.word("grant"), //
            Layouts.word("keyTurn"), //
            Layouts.words("key", KEY_WORDS));

    public static final long THREAD = Layouts.offsetOf(LAYOUT, "thread");
    public static final long TURN = Layouts.offsetOf(LAYOUT, "turn");
    public static final long GRANT = Layouts.offsetOf(LAYOUT, "grant");
    public static final long KEY_TURN = Layouts.offsetOf(LAYOUT, "keyTurn");
    public static final long KEY = Layouts.offsetOf(LAYOUT, "key");
    public static final long SIZE = LAYOUT.byteSize();

    /** Value of a turn word without a turn. */
    public static final long NO_TURN = 0;

    /** Bytes of a key's text. */
    public static final int KEY_BYTES = KEY_WORDS * (int) Layouts.WORD;

    private Note() {}

    /** Returns the turn as the note has it. */
    public static long turn(long turn) {
        return turn + 1;
    }
}
