package io.atoll.lock.protocol;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One request for a lock, in the requester's own segment, so that it waits for a word of its own (ALock, algorithm 1): a cache line.
 * <pre>
 *       0        8        16       24       32              40         48       64
 *       +--------+--------+--------+--------+---------------+----------+--------+
 *       |  lock  |  phase |  next  |  grant |  predecessor  |  number  | thread |
 *       +--------+--------+--------+--------+---------------+----------+--------+
 * </pre>
 * Next, a {@link Tail} word, is written by the successor once, grant by the predecessor once, both plainly, and both by who repairs the queue, while nobody else does. All else is
 * written by the requester, and read by who repairs or looks on. The number tells the requests apart that
 * have used the descriptor, so whoever looks twice knows how long one has been there: a clock would cost more than an uncontended lock. Of the thread's name there are 16 bytes.
 */
final class Descriptor {

    private static final int NAME_WORDS = 2;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("lock"), //
            Layouts.word("phase"), //
            Layouts.word("next"), //
            Layouts.word("grant"), //
            Layouts.word("predecessor"), //
            Layouts.word("number"), //
            Layouts.words("thread", NAME_WORDS));

    static final long LOCK = Layouts.offsetOf(LAYOUT, "lock");
    static final long PHASE = Layouts.offsetOf(LAYOUT, "phase");
    static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    static final long GRANT = Layouts.offsetOf(LAYOUT, "grant");
    static final long PREDECESSOR = Layouts.offsetOf(LAYOUT, "predecessor");
    static final long NUMBER = Layouts.offsetOf(LAYOUT, "number");
    static final long THREAD = Layouts.offsetOf(LAYOUT, "thread");
    static final long SIZE = LAYOUT.byteSize();

    /** Of a thread's name. */
    static final int NAME_BYTES = NAME_WORDS * (int) Layouts.WORD;

    // Phases.
    static final long IDLE = 0;
    /** It is becoming the tail, and linking itself to who was before. */
    static final long ENQUEUEING = 1;
    /** It found the queue closed. */
    static final long BLOCKED = 2;
    static final long WAITING = 3;
    /** It leads its cohort: it has the lock, or competes with the other cohort for it. */
    static final long HOLDING = 4;
    static final long RELEASING = 5;

    private Descriptor() {}
}
