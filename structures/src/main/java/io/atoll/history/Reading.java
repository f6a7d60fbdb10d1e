package io.atoll.history;

import io.atoll.memory.Layouts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** One attempt to read a history, in the steps of {@link HistoryBlock}. */
final class Reading {

    private static final int HEAD_WORDS = (int) (HistoryBlock.IDENTITY / Layouts.WORD);
    private static final int COUNT_WORDS = (int) ((HistoryBlock.IDENTITY - HistoryBlock.COUNTS) / Layouts.WORD);
    private static final int IDENTITY_WORDS = (int) ((HistoryBlock.HEADER_BYTES - HistoryBlock.IDENTITY)
            / Layouts.WORD);
    private static final int STRUCTURE_WORDS = (int) (HistoryBlock.STRUCTURE_BYTES / Layouts.WORD);
    private static final int POINT_WORDS = (int) (HistoryBlock.POINT_BYTES / Layouts.WORD);
    private static final int EVENT_WORDS = (int) (HistoryBlock.EVENT_BYTES / Layouts.WORD);
    private static final Event.Kind[] KINDS = Event.Kind.values();

    private final HistoryBlock block;
    private final HistoryReader.Source source;
    private final long at;
    private final @Nullable KnownHistory before;
    private boolean isUnsettled;

    /** @param before what was read of the rank before; null if nothing */
    Reading(HistoryBlock block, HistoryReader.Source source, long at, @Nullable KnownHistory before) {
        this.block = block;
        this.source = source;
        this.at = at;
        this.before = before;
    }

    /** Returns true if the owner began anew meanwhile, so that another attempt may find more. */
    boolean isWorthRepeating() {
        return isUnsettled;
    }

    /**
     * Returns what was read; null if there is nothing to read.
     *
     * @param isLast true if the reader waits no more for a process that is writing its identity: it may have died over
     * that
     */
    @Nullable KnownHistory read(boolean isLast) {
        long[] head = new long[HEAD_WORDS];
        // (6) of the counts first; each read returns before the next begins. Pairs with (5) of HistoryWriter.
        if (!source.read(at, head, 0, HEAD_WORDS) || !isReadable(head)) {
            return null;
        }
        long born = word(head, HistoryBlock.BORN);
        long identityCount = word(head, HistoryBlock.IDENTITY_COUNT);
        long points = word(head, HistoryBlock.POINT_COUNT);
        long events = word(head, HistoryBlock.EVENT_COUNT);
        KnownHistory former = before != null && before.born() == born && before.pointCount() <= points
                && before.eventCount() <= events ? before : null;
        // The count was the same the last time, too.
        boolean isLastTry = isLast || former != null && former.identityCount() == identityCount;
        boolean isIdentified = identityCount != 0 && identityCount % 2 == 0;
        if (!isIdentified && !isLastTry) {
            isUnsettled = true;
            return null;
        }
        // (2) after the count of identities; pairs with (1) of HistoryWriter.
        RankHistory.Identity identity = former != null && former.identityCount() == identityCount
                ? former.identity()
                : identity();
        Ring pointRing = new Ring(block.points(), POINT_WORDS, block.firstPoint(),
                former == null ? 0 : former.pointCount(), points);
        Ring eventRing = new Ring(block.events(), EVENT_WORDS, block.firstEvent(),
                former == null ? 0 : former.eventCount(), events);
        long operationCount = word(head, HistoryBlock.OPERATION_COUNT);
        boolean areOperationsKnown = former != null && former.operationCount() == operationCount;
        RankHistory.Operations operations = areOperationsKnown ? former.operations() : operations(operationCount);
        long[] counts = new long[COUNT_WORDS];
        // (4) of the counts again, after everything else: pairs with (3) of HistoryWriter.
        if (identity == null || !pointRing.load() || !eventRing.load()
                || !source.read(at + HistoryBlock.COUNTS, counts, 0, COUNT_WORDS)) {
            return null;
        }
        isIdentified &= again(counts, HistoryBlock.IDENTITY_COUNT) == identityCount;
        if (!isIdentified && !isLastTry || again(counts, HistoryBlock.BORN) != born
                || again(counts, HistoryBlock.POINT_COUNT) < points
                || again(counts, HistoryBlock.EVENT_COUNT) < events) {
            isUnsettled = true;
            return null;
        }
        List<RankHistory.Point> allPoints = pointRing.join(former == null ? List.of() : former.points(),
                again(counts, HistoryBlock.POINT_COUNT), number -> point(pointRing, number));
        List<Event> allEvents = eventRing.join(former == null ? List.of() : former.events(),
                again(counts, HistoryBlock.EVENT_COUNT), number -> event(eventRing, number));
        if (operations == null || again(counts, HistoryBlock.OPERATION_COUNT) != operationCount) {
            // The owner is writing the operations: the known ones stay, and are read again the next time.
            operations = former == null ? RankHistory.Operations.NONE : former.operations();
            operationCount = former == null ? 0 : former.operationCount();
        }
        return new KnownHistory(born, identityCount, isIdentified ? identity : RankHistory.Identity.UNKNOWN,
                again(counts, HistoryBlock.WRITTEN_MILLIS), points, events, allPoints, allEvents, operationCount,
                operations);
    }

    private boolean isReadable(long[] head) {
        return word(head, HistoryBlock.MARK) == HistoryBlock.MARK_VALUE
                && word(head, HistoryBlock.KINDS) == HistoryBlock.KINDS_VALUE
                && word(head, HistoryBlock.POINT_PLACES) == block.points()
                && word(head, HistoryBlock.EVENT_PLACES) == block.events()
                && word(head, HistoryBlock.STRUCTURE_PLACES) == block.structures()
                && word(head, HistoryBlock.POINT_COUNT) >= 0 && word(head, HistoryBlock.EVENT_COUNT) >= 0;
    }

    private static long word(long[] head, long offset) {
        return head[(int) (offset / Layouts.WORD)];
    }

    private static long again(long[] counts, long offset) {
        return word(counts, offset - HistoryBlock.COUNTS);
    }

    private RankHistory.@Nullable Identity identity() {
        long[] words = new long[IDENTITY_WORDS];
        if (!source.read(at + HistoryBlock.IDENTITY, words, 0, IDENTITY_WORDS)) {
            return null;
        }
        return new RankHistory.Identity(
                Words.text(words, index(HistoryBlock.HOST), words[index(HistoryBlock.HOST_BYTES)],
                        HistoryBlock.MAXIMUM_HOST_BYTES),
                words[index(HistoryBlock.PID)],
                Words.text(words, index(HistoryBlock.VERSION), words[index(HistoryBlock.VERSION_BYTES)],
                        HistoryBlock.MAXIMUM_VERSION_BYTES),
                words[index(HistoryBlock.STARTED_MILLIS)]);
    }

    /** Returns null while the owner writes them, or if they cannot be read. */
    private RankHistory.@Nullable Operations operations(long count) {
        if (count == 0) {
            return RankHistory.Operations.NONE;
        }
        long[] words = new long[(int) (block.operationsBytes() / Layouts.WORD)];
        if (count % 2 != 0 || !source.read(at + HistoryBlock.HEADER_BYTES, words, 0, words.length)) {
            return null;
        }
        List<RankHistory.Operations.Listed> listed = new ArrayList<>();
        long most = Math.clamp(word(words, HistoryBlock.LISTED), 0, block.structures());
        for (int index = 0; index < most; index++) {
            int first = (int) (HistoryBlock.STRUCTURES / Layouts.WORD) + index * STRUCTURE_WORDS;
            listed.add(new RankHistory.Operations.Listed(words[first + (int) (HistoryBlock.NAME_HASH / Layouts.WORD)],
                    new RankHistory.Operations.Counts(words[first + (int) (HistoryBlock.TOTAL / Layouts.WORD)],
                            words[first + (int) (HistoryBlock.LATELY / Layouts.WORD)])));
        }
        return new RankHistory.Operations(word(words, HistoryBlock.OPERATIONS_AT_MILLIS),
                word(words, HistoryBlock.INTERVAL_MILLIS), listed, new RankHistory.Operations.Counts(
                        word(words, HistoryBlock.OTHERS_TOTAL), word(words, HistoryBlock.OTHERS_LATELY)));
    }

    private static int index(long offset) {
        return (int) ((offset - HistoryBlock.IDENTITY) / Layouts.WORD);
    }

    private static RankHistory.Point point(Ring ring, long number) {
        int first = ring.place(number);
        long[] values = new long[Series.values().length];
        System.arraycopy(ring.words, first + (int) (HistoryBlock.VALUES / Layouts.WORD), values, 0, values.length);
        return new RankHistory.Point(ring.words[first + (int) (HistoryBlock.POINT_AT_MILLIS / Layouts.WORD)], values);
    }

    /** Returns null if the place holds no event with that number. */
    private static @Nullable Event event(Ring ring, long number) {
        int first = ring.place(number);
        long kind = ring.words[first + (int) (HistoryBlock.KIND / Layouts.WORD)];
        if (ring.words[first + (int) (HistoryBlock.SEQUENCE / Layouts.WORD)] != number || kind < 0
                || kind >= KINDS.length) {
            return null;
        }
        return new Event(number, ring.words[first + (int) (HistoryBlock.EVENT_AT_MILLIS / Layouts.WORD)],
                KINDS[(int) kind], (int) ring.words[first + (int) (HistoryBlock.SUBJECT / Layouts.WORD)],
                Words.text(ring.words, first + (int) (HistoryBlock.TEXT / Layouts.WORD),
                        ring.words[first + (int) (HistoryBlock.TEXT_BYTES / Layouts.WORD)],
                        Event.MAXIMUM_TEXT_BYTES));
    }

    /** The new entries of a ring. */
    private final class Ring {

        private final int places;
        private final int entryWords;
        private final long offset; // from the beginning of the block
        private final long from; // the first that is read
        private final long to; // the one after the last
        private final long[] words;

        Ring(int places, int entryWords, long offset, long known, long count) {
            this.places = places;
            this.entryWords = entryWords;
            this.offset = offset;
            this.to = count;
            this.from = Math.max(known, count - places);
            this.words = new long[(int) (to - from) * entryWords];
        }

        /** Reads the entries, in two pieces if they go over the end. */
        boolean load() {
            int count = (int) (to - from);
            int first = (int) (from % places);
            int beforeEnd = Math.min(count, places - first);
            return load(first, 0, beforeEnd) && load(0, beforeEnd, count - beforeEnd);
        }

        private boolean load(int place, int entry, int count) {
            return count == 0 || source.read(at + offset + (long) place * entryWords * Layouts.WORD, words,
                    entry * entryWords, count * entryWords);
        }

        /** Returns where the words of an entry begin. */
        int place(long number) {
            return (int) (number - from) * entryWords;
        }

        /** Returns the known entries and the new ones, as far as they fit into the ring. */
        <T> List<T> join(List<T> known, long countAgain, LongFunction<@Nullable T> entry) {
            List<T> all = new ArrayList<>(known);
            for (long number = Math.max(from, countAgain - places + 1); number < to; number++) {
                T found = entry.apply(number);
                if (found != null) {
                    all.add(found);
                }
            }
            return List.copyOf(all.subList(Math.max(0, all.size() - places + 1), all.size()));
        }
    }
}
