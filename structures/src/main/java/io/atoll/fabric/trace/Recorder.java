package io.atoll.fabric.trace;

import io.atoll.fabric.trace.Journal.Kind;
import io.atoll.fabric.trace.Journal.Verb;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Records what one thread does. Verbs of other threads pass unrecorded. */
final class Recorder {

    private final Thread listenedTo = Thread.currentThread();
    private final List<Verb> verbs = new ArrayList<>();
    private final BitSet unflushed = new BitSet(); // ranks to which writes are under way
    private int roundTrips;

    private boolean listens() {
        return Thread.currentThread() == listenedTo;
    }

    /** Records a verb that returns when it, and everything before it to that rank, has taken effect. */
    void blocking(Kind kind, int rank, long offset, long bytes) {
        if (listens()) {
            verbs.add(new Verb(kind, rank, offset, bytes));
            unflushed.clear(rank);
            roundTrips++;
        }
    }

    void write(int rank, long offset, long bytes) {
        if (listens()) {
            verbs.add(new Verb(Kind.W, rank, offset, bytes));
            unflushed.set(rank);
        }
    }

    void inBatch(Kind kind, int rank, long offset, long bytes) {
        if (listens()) {
            verbs.add(new Verb(kind, rank, offset, bytes));
        }
    }

    void batch(BitSet ranks) {
        if (listens() && !ranks.isEmpty()) {
            unflushed.andNot(ranks);
            roundTrips++;
        }
    }

    void flush(int rank) {
        if (listens() && unflushed.get(rank)) {
            unflushed.clear(rank);
            roundTrips++;
        }
    }

    void flush() {
        if (listens() && !unflushed.isEmpty()) {
            unflushed.clear();
            roundTrips++;
        }
    }

    Journal journal() {
        return new Journal(verbs, roundTrips);
    }

    void clear() {
        verbs.clear();
        unflushed.clear();
        roundTrips = 0;
    }
}
