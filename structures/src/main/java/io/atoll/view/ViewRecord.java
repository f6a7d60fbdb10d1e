package io.atoll.view;

import io.atoll.view.View.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A view as a header stores it: a word for each rank that may ever be in the world.
 * <pre>
 *   63                            17   16  15               0
 *   +-------------------------------+------+-----------------+
 *   |       number of the view      |member|   incarnation   |
 *   +-------------------------------+------+-----------------+
 * </pre>
 * Views with one number are equal. So words with one number belong to one view, in whatever order they were read.
 */
final class ViewRecord {

    private static final int MEMBER = Short.SIZE;
    private static final int NUMBER = MEMBER + 1;
    private static final long INCARNATION_MASK = (1L << MEMBER) - 1;

    private ViewRecord() {}

    static long[] words(View view) {
        return view.entries()
                .stream()
                .mapToLong(entry -> view.number() << NUMBER | (entry.isMember() ? 1L : 0L) << MEMBER
                        | entry.incarnation())
                .toArray();
    }

    /** Returns empty if there is no view, or if another one was written meanwhile. */
    static Optional<View> view(long[] words) {
        List<Entry> entries = new ArrayList<>(words.length);
        long number = words[0] >>> NUMBER;
        for (long word : words) {
            if (number == 0 || word >>> NUMBER != number) {
                return Optional.empty();
            }
            entries.add(new Entry((int) (word & INCARNATION_MASK), (word >>> MEMBER & 1) == 1));
        }
        return Optional.of(new View(number, entries));
    }
}
