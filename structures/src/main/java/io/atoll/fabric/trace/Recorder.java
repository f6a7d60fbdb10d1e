package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Journal.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Records what one thread does. Verbs of other threads pass unrecorded. */
final class Recorder {

    private final Thread listenedTo = Thread.currentThread();
    private final List<Journal.Entry> entries = new ArrayList<>();
    private final BitSet unflushed = new BitSet(); // ranks to which writes are under way
    private int roundTrips;

    private boolean listens() {
        return Thread.currentThread() == listenedTo;
    }

    /** Records a verb that is used by itself. */
    void add(Verb verb, int rank, long offset, long bytes) {
        if (!listens()) {
            return;
        }
        switch (verb.kind()) {
            case READ, ATOMIC -> {
                // It returns when it, and everything before it to that rank, has taken effect.
                list(verb, rank, offset, bytes);
                unflushed.clear(rank);
                roundTrips++;
            }
            case WRITE -> {
                list(verb, rank, offset, bytes);
                unflushed.set(rank);
            }
            case FLUSH -> flush(rank);
        }
    }

    void inBatch(Verb verb, int rank, long offset, long bytes, boolean isGuarded) {
        if (listens()) {
            entries.add(new Journal.Entry(kind(verb), rank, offset, bytes, isGuarded));
        }
    }

    private void list(Verb verb, int rank, long offset, long bytes) {
        entries.add(new Journal.Entry(kind(verb), rank, offset, bytes));
    }

    private static Kind kind(Verb verb) {
        return switch (verb.kind()) {
            case READ -> Kind.R;
            case WRITE -> Kind.W;
            case ATOMIC -> Kind.A;
            case FLUSH -> throw new IllegalArgumentException("a flush moves nothing: verb=" + verb);
        };
    }

    void batch(BitSet ranks) {
        if (listens() && !ranks.isEmpty()) {
            unflushed.andNot(ranks);
            roundTrips++;
        }
    }

    private void flush(int rank) {
        if (unflushed.get(rank)) {
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
        return new Journal(entries, roundTrips);
    }

    void clear() {
        entries.clear();
        unflushed.clear();
        roundTrips = 0;
    }
}
