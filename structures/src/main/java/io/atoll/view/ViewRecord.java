package io.atoll.view;

import io.atoll.view.View.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A view as a header has it: a word for each rank that may ever be.
 * <pre>
 *   63                            17   16  15               0
 *   +-------------------------------+------+-----------------+
 *   |       number of the view      |member|   incarnation   |
 *   +-------------------------------+------+-----------------+
 * </pre>
 * Views of one number are equal. So words that bear one number are of one view, in whatever order they were read.
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

    /** Returns nothing where there is no view, or where another one was written meanwhile. */
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
