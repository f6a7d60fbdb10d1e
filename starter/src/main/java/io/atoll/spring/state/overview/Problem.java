package io.atoll.spring.state.overview;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that is wrong with a world.
 *
 * @param title what it is, in one sentence
 * @param cause why it is so, as far as the answering rank knows
 * @param remedy what helps
 * @param rank whose problem it is; null where that is nobody's alone
 * @param structure in which it is; null outside of structures
 * @param lock that it is about; null where it is about none
 * @param sinceMillis for how long; null where nobody knows
 */
public record Problem(Severity severity, Kind kind, String title, String cause, String remedy, @Nullable Integer rank,
        @Nullable String structure, @Nullable LockPlace lock, @Nullable Long sinceMillis) {

    /** What problems there are. */
    public enum Kind {
        RANK_LOST, RANK_MISSING, RANK_REFUSED, RANK_STILL, DEADLOCK, WAIT, SEGMENT_FULL, PIN, STRANDED, STRUCTURE_FULL, PROMISE, HOT_LOCK, TROUBLE, VIEW;

        /** As answers name it, such as {@code rank-lost}. */
        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * @param table its name
     * @param index of the lock in it
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
