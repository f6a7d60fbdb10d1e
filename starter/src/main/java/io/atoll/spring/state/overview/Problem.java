package io.atoll.spring.state.overview;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that is wrong with a world.
 *
 * @param title the problem in one sentence
 * @param cause the cause, as far as the answering rank knows it
 * @param remedy what helps
 * @param rank the rank that has the problem; null if it is not the problem of one rank
 * @param structure the structure that has the problem; null if there is none
 * @param lock the lock that the problem is about; null if there is none
 * @param sinceMillis how long the problem has lasted; null if it is not known
 */
public record Problem(Severity severity, Kind kind, String title, String cause, String remedy, @Nullable Integer rank,
        @Nullable String structure, @Nullable LockPlace lock, @Nullable Long sinceMillis) {

    /** The kinds of problems. */
    public enum Kind {
        RANK_LOST, RANK_MISSING, RANK_REFUSED, RANK_STILL, DEADLOCK, WAIT, SEGMENT_FULL, PIN, STRANDED, //
        STRUCTURE_FULL, PROMISE, HOT_LOCK, TROUBLE, VIEW;

        /** Returns the name that answers use, such as {@code rank-lost}. */
        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * @param table the name of the lock table
     * @param index the index of the lock in it
     */
    public record LockPlace(String table, long index) {}

    static Problem of(Severity severity, Kind kind, String title, String cause, String remedy) {
        return new Problem(severity, kind, title, cause, remedy, null, null, null, null);
    }

    Problem at(int where) {
        return new Problem(severity, kind, title, cause, remedy, where, structure, lock, sinceMillis);
    }

    Problem in(String name) {
        return new Problem(severity, kind, title, cause, remedy, rank, name, lock, sinceMillis);
    }

    Problem of(LockPlace place) {
        return new Problem(severity, kind, title, cause, remedy, rank, structure, place, sinceMillis);
    }

    Problem since(long millis) {
        return new Problem(severity, kind, title, cause, remedy, rank, structure, lock, millis);
    }
}
