package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests where a search on mapped memory ends, in every short path of buckets that a stopped growth, other keys and
 * other threads can leave. The path goes around the end of the block. The rank that has reserved buckets is dead.
 */
@Tag("simulation")
class CollisionPathTest {

    private static final int OWNER = 0;
    private static final int BUCKETS = 8;
    private static final int HOME = 6;
    private static final long KEY = LongStream.iterate(1, key -> key + 1)
            .filter(key -> Block.home(TwoBlocks.OLD, FixedHash.of(key)) == HOME)
            .findFirst()
            .orElseThrow();
    private static final long OTHER_KEY = -1; // and smaller ones

    private static final long VALUE = 5;
    private static final long NEXT_VALUE = 9;
    private static final long INSERTED = 7;
    private static final long RUBBISH = 1_000;

    private static final int ANY_PLACES = 3;
    private static final List<Integer> LENGTHS_BEFORE = List.of(0, 1, 3, 5);

    private static final List<Integer> PATH_OF_WORDS = List.of(6, 7, 0, 1, 2, 3, 4, 5);
    private static final List<Integer> PATH_OF_LONGS = List.of(6, 7, 4, 5, 2, 3, 0, 1);

    /** What a bucket of the path is. */
    private enum Place {
        FREE, RESERVED, CLOSED,
        /** What a dead inserter of longs has left. */
        VOID,
        /** The first one with another key. */
        OTHER, OTHER_REMOVED, OTHER_CHANGING, OTHER_MOVED,
        /** The first one with the key. */
        PRESENT, CHANGED, CHANGING, REMOVED, REVIVING, MOVED;

        boolean isOfTheKey() {
            return compareTo(PRESENT) >= 0;
        }

        boolean isPassed() {
            return this == VOID || compareTo(OTHER) >= 0 && !isOfTheKey();
        }

        /** Returns true if the key is in the next block, if it is anywhere. */
        boolean leadsToTheNextBlock() {
            return this == CLOSED || this == MOVED;
        }

        boolean isLiving() {
            return this == PRESENT || this == CHANGED || this == CHANGING;
        }
    }

    private static final List<Place> OF_LONGS = List.of(Place.FREE, Place.RESERVED, Place.VOID, Place.CLOSED,
            Place.OTHER, Place.OTHER_REMOVED, Place.OTHER_MOVED, Place.PRESENT, Place.REMOVED, Place.MOVED);
    private static final List<Place> OF_WORDS = Arrays.stream(Place.values())
            .filter(place -> place != Place.VOID)
            .toList();

    /** What the path's buckets are, one after the other, and if the next block has the key. */
    private record Path(List<Place> places, boolean isInNext) {

        /** Returns how many buckets a search passes: all of them if it finds no end. */
        int passed() {
            return (int) places.stream().takeWhile(Place::isPassed).count();
        }

        @Nullable Place end() {
            return passed() < BUCKETS ? places.get(passed()) : null;
        }

        boolean leadsToTheNextBlock() {
            Place end = end();
            return end == null || end.leadsToTheNextBlock();
        }

        /** Returns the value that a search must find, or null. */
        @Nullable Long value() {
            if (leadsToTheNextBlock()) {
                return isInNext ? NEXT_VALUE : null;
            }
            Place end = end();
            return end != null && end.isLiving() ? VALUE : null;
        }
    }

    private static void eachPath(List<Place> places, Consumer<Path> test) {
        for (int before : LENGTHS_BEFORE) {
            for (int number = 0; number < Math.pow(places.size(), ANY_PLACES); number++) {
                for (Place rest : List.of(Place.FREE, Place.OTHER)) {
                    test.accept(new Path(path(places, before, number, rest), number % 2 == 0));
                }
            }
        }
    }

    private static List<Place> path(List<Place> places, int before, int number, Place rest) {
        List<Place> path = new ArrayList<>();
        IntStream.range(0, before).forEach(_ -> path.add(Place.OTHER));
        int digits = number;
        for (int place = 0; place < ANY_PLACES; place++) {
            path.add(places.get(digits % places.size()));
            digits /= places.size();
        }
        while (path.size() < BUCKETS) {
            path.add(rest);
        }
        return path;
    }

    private final Simulation simulation = new Simulation(1, MapWorld.options(SimOptions.SHARED_MEMORY));
    private final Participant self = MapWorld.participant(simulation.rank(1), (_, _, _) -> true,
            MapWorld.OPERATION_TIMEOUT);
    private final Endpoint memory = simulation.rank(OWNER).endpoint();

    private void assertIsMapped() {
        assertThat(self.endpoint().mappedUniformly(OWNER)).isNotNull();
    }

    /** Returns the key in a bucket. An inserter that died may have written the key that is looked for. */
    private static long key(Place place, int number) {
        return switch (place) {
            case FREE, CLOSED -> 0;
            case OTHER, OTHER_REMOVED, OTHER_CHANGING, OTHER_MOVED -> OTHER_KEY - number;
            default -> KEY;
        };
    }

    // --- longs ---

    private static long word(Place place) {
        return switch (place) {
            case FREE -> LongBucket.FREE;
            case RESERVED -> LongBucket.reserved(2, 1);
            case VOID -> LongBucket.VOID;
            case CLOSED -> LongBucket.CLOSED;
            case OTHER -> LongBucket.present(RUBBISH);
            case PRESENT -> LongBucket.present(VALUE);
            case REMOVED, OTHER_REMOVED -> LongBucket.ABSENT;
            case MOVED, OTHER_MOVED -> LongBucket.MOVED;
            default -> throw new IllegalArgumentException("not of a map of longs: place=" + place);
        };
    }

    private void writeLong(long block, int index, Place place, long value) {
        long bucket = Block.offset(block) + index * LongBucket.SIZE;
        memory.writeWord(OWNER, bucket + LongBucket.KEY, key(place, index));
        memory.writeWord(OWNER, bucket + LongBucket.VALUE,
                place == Place.PRESENT ? LongBucket.present(value) : word(place));
    }

    @Test
    void aLongIsFoundWhereItIsAndNowhereElse() {
        assertIsMapped();
        var reader = new LongReader(self.endpoint(), new TwoBlocks(LongBucket.SIZE), new KeyHash(self.seed()));
        var table = new LongTable(new LongWriter("map", self, reader), LongMover::new, null);
        eachPath(OF_LONGS, path -> {
            for (int step = 0; step < BUCKETS; step++) {
                writeLong(TwoBlocks.OLD, PATH_OF_LONGS.get(step), path.places.get(step), VALUE);
            }
            writeLong(TwoBlocks.next(LongBucket.SIZE), HOME, path.isInNext ? Place.PRESENT : Place.FREE, NEXT_VALUE);
            long found = table.find(KEY, -1);
            assertThat(found == -1 ? null : found).as("%s", path).isEqualTo(path.value());
        });
    }

    // --- words ---

    private static final Codec<Long> LONG = Codecs.forType(Long.class);
    private static final Bucket BUCKET = DistributedMapSimulation.bucket(LONG, LONG);

    private InlineEntries<Long, Long> words() {
        assertIsMapped();
        var table = new BucketTable("map", self, new TwoBlocks(BUCKET.size), BUCKET,
                InlineEntries.hashing(self, LONG, null), null);
        return new InlineEntries<>(table, LONG, LONG, null);
    }

    private static long state(Place place) {
        long ready = Bucket.settled(Bucket.READY, 4);
        long removed = Bucket.settled(Bucket.TOMBSTONE, 3);
        return switch (place) {
            case FREE -> Bucket.FREE;
            case RESERVED -> Bucket.reserved(Bucket.FREE, 2, 1);
            case CLOSED -> Bucket.CLOSED;
            case OTHER, PRESENT -> ready;
            case CHANGED -> Bucket.settled(Bucket.READY, 5);
            case CHANGING, OTHER_CHANGING -> Bucket.reserved(ready, 2, 1);
            case REMOVED, OTHER_REMOVED -> removed;
            case REVIVING -> Bucket.reserved(removed, 2, 1);
            case MOVED, OTHER_MOVED -> Bucket.MOVED;
            case VOID -> throw new IllegalArgumentException("not of a map of objects");
        };
    }

    private static long offset(long block, int index) {
        return Block.offset(block) + index * BUCKET.size;
    }

    private void writeWords(long block, int index, Place place, long value) {
        long bucket = offset(block, index);
        long state = state(place);
        memory.writeWord(OWNER, bucket + BUCKET.key, key(place, index));
        memory.writeWord(OWNER, bucket + BUCKET.place(state + (1 << 4)), RUBBISH);
        memory.writeWord(OWNER, bucket + BUCKET.place(state), place.isOfTheKey() ? value : RUBBISH);
        memory.writeWord(OWNER, bucket, state);
    }

    private void writeWords(Path path) {
        for (int step = 0; step < BUCKETS; step++) {
            writeWords(TwoBlocks.OLD, PATH_OF_WORDS.get(step), path.places.get(step), VALUE);
        }
        writeWords(TwoBlocks.next(BUCKET.size), HOME, path.isInNext ? Place.PRESENT : Place.FREE, NEXT_VALUE);
    }

    @Test
    void wordsAreFoundWhereTheyAreAndNowhereElse() {
        InlineEntries<Long, Long> entries = words();
        eachPath(OF_WORDS, path -> {
            writeWords(path);
            for (Promise.Reading promise : List.of(Promise.nothing(), Promise.onlyReads())) {
                assertThat(entries.findHere(KEY, promise)).as("%s", path).isEqualTo(path.value());
            }
        });
    }

    /** Returns the offset of the bucket in which the key is at the end, whether it was inserted or was there. */
    private static long last(Path path) {
        return path.leadsToTheNextBlock()
                ? offset(TwoBlocks.next(BUCKET.size), HOME)
                : offset(TwoBlocks.OLD, PATH_OF_WORDS.get(path.passed()));
    }

    @Test
    void wordsAreInsertedWhereTheSearchEndsUnlessTheyAreThere() {
        InlineEntries<Long, Long> entries = words();
        eachPath(OF_WORDS, path -> {
            writeWords(path);
            Long before = path.value();
            assertThat(entries.insert(KEY, INSERTED)).as("%s", path).isEqualTo(before == null);
            long state = memory.readWord(OWNER, last(path));
            assertThat(Bucket.isLiving(state)).as("%s", path).isTrue();
            assertThat(memory.readWord(OWNER, last(path) + BUCKET.key)).as("%s", path).isEqualTo(KEY);
            assertThat(memory.readWord(OWNER, last(path) + BUCKET.place(state))).as("%s", path)
                    .isEqualTo(before == null ? INSERTED : before);
        });
    }

    // --- mistakes ---

    private static final class FindsOfLongs implements Runnable {

        @Override
        public void run() {
            new CollisionPathTest().aLongIsFoundWhereItIsAndNowhereElse();
        }
    }

    private static final class FindsOfWords implements Runnable {

        @Override
        public void run() {
            new CollisionPathTest().wordsAreFoundWhereTheyAreAndNowhereElse();
        }
    }

    private static final class InsertionsOfWords implements Runnable {

        @Override
        public void run() {
            new CollisionPathTest().wordsAreInsertedWhereTheSearchEndsUnlessTheyAreThere();
        }
    }

    private record Mistake(String name, Class<? extends Runnable> test, Patch patch) {

        Mistake(String name, Class<? extends Runnable> test, Class<?> patched, String text, String instead) {
            this(name, test, new Patch(patched).replace(text, instead));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                new Mistake("longs: each bucket without a key ends the search", FindsOfLongs.class, LongReader.class,
                        "if (word == LongBucket.FREE) {", "if (!LongBucket.hasKey(word)) {"),
                new Mistake("longs: a moved key is absent", FindsOfLongs.class, LongReader.class,
                        "return LongBucket.isPresent(word) ? word : UNCLEAR;", "return word;"),
                new Mistake("longs: the key of a void bucket is absent", FindsOfLongs.class, LongReader.class,
                        "return LongBucket.isPresent(word) ? word : UNCLEAR;",
                        "return LongBucket.isMoved(word) ? UNCLEAR : word;"),
                new Mistake("longs: a key that is not in the line is absent", FindsOfLongs.class, LongReader.class,
                        "        return UNCLEAR;\n    }", "        return LongBucket.ABSENT;\n    }"),
                new Mistake("longs: the path leaves the line", FindsOfLongs.class, LongReader.class,
                        "steps, LINE_BUCKETS), LongBucket.SIZE);\n            long word = mapped",
                        "steps, 1), LongBucket.SIZE);\n            long word = mapped"),
                new Mistake("words: each bucket without a key ends the search", FindsOfWords.class, WordFastPath.class,
                        "if (state == Bucket.FREE) {", "if (!Bucket.hasKey(state)) {"),
                new Mistake("words: a removed key ends the search", FindsOfWords.class, WordFastPath.class,
                        "if (state == Bucket.FREE) {",
                        "if (state == Bucket.FREE || Bucket.kind(state) == Bucket.TOMBSTONE) {"),
                new Mistake("words: a moved key is absent", FindsOfWords.class, WordFastPath.class,
                        "return seen != null ? seen : entries.findByVerbs(word, hash, promise);", "return seen;"),
                new Mistake("words: a key that is not in the block is absent", FindsOfWords.class, WordFastPath.class,
                        "if (found < 0 && found != BucketReader.BEHIND) {", "if (found < 0) {"),
                new Mistake("words: the path goes on behind the block", FindsOfWords.class, WordFastPath.class,
                        "Block.bucket(block, home, steps, GROUP)", "(home + steps)"),
                new Mistake("words: an inserter passes each bucket without a key", InsertionsOfWords.class,
                        WordFastPath.class, "return BucketReader.BEHIND;\n            }\n            if (mapped",
                        "continue;\n            }\n            if (mapped"),
                new Mistake("words: a key without a value refuses", InsertionsOfWords.class, WordFastPath.class,
                        "found >= 0 && Bucket.isLiving(mapped.getAcquire(found))", "found >= 0"),
                new Mistake("words: an inserter ends the search at another key", InsertionsOfWords.class,
                        WordFastPath.class, "if (mapped.get(bucket + KEY) == key) {", "if (steps >= 0) {"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsFound(Mistake mistake) {
        assertThatThrownBy(() -> mistake.patch.run(mistake.test)).isInstanceOf(AssertionError.class);
    }
}
