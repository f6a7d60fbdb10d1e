package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Any batch over TCP does what its verbs do one after the other. It may have as many atomics as there are at most,
 * verbs that take several frames, and guards and searches that guard each other, in whichever frames they are.
 */
@Tag("network")
class RandomBatchesTest {

    private static final int BATCHES = 150;
    private static final int OWNER = 1;
    private static final int WORDS = 1024;
    private static final int SMALL = 4; // words are below that, so that many exchanges take place
    private static final long BUFFER_BYTES = 256 << 10;
    private static final int NONE = -1;

    private TcpRanks ranks;
    private Fabric fabric;
    private LocalMemory owner;

    @BeforeEach
    void attach(@TempDir Path folder) {
        ranks = new TcpRanks(folder);
        fabric = ranks.fabric(0);
        owner = ranks.fabric(OWNER).local();
    }

    @AfterEach
    void detach() {
        ranks.close();
    }

    /** What is to become of an atomic or a search. */
    private static final class Expected {

        private final int guard;
        private final boolean isSearch;
        private final boolean isGuard;
        private final int reach; // the most words by which it moves what it guards
        private boolean hasSucceeded;
        private int moved; // in words
        private long result;

        private Expected(int guard, boolean isSearch, boolean isGuard, int reach) {
            this.guard = guard;
            this.isSearch = isSearch;
            this.isGuard = isGuard;
            this.reach = reach;
        }
    }

    /** A batch that is made verb by verb, and executed here as it is. */
    private final class Trial {

        private final Random random;
        private final Batch batch = fabric.newBatch(BUFFER_BYTES);
        private final long[] words = new long[WORDS];
        private final long[] buffer = new long[(int) (BUFFER_BYTES / Layouts.WORD)];
        private final List<Expected> atomics = new ArrayList<>();
        private int guard = NONE;
        private int position; // in words: each verb has its own part of the buffer

        private Trial(long seed) {
            random = new Random(seed);
            for (int word = 0; word < WORDS; word++) {
                words[word] = random.nextInt(SMALL);
                owner.setRelease(offset(word), words[word]);
            }
        }

        private static long offset(int word) {
            return TcpRanks.FREE + word * Layouts.WORD;
        }

        private boolean isExecuted() {
            return guard == NONE || atomics.get(guard).hasSucceeded;
        }

        private int moved() {
            return guard == NONE ? 0 : atomics.get(guard).moved;
        }

        /** Returns a word from which this many can be used, wherever a guard moves them to. */
        private int word(int count) {
            int reach = guard == NONE ? 0 : atomics.get(guard).reach;
            if (reach + count > WORDS) {
                unguard();
                reach = 0;
            }
            return random.nextInt(WORDS - reach - count + 1);
        }

        private void unguard() {
            batch.unguard();
            guard = NONE;
        }

        private void add(int mostAtomics) {
            boolean hasRoom = atomics.size() < mostAtomics;
            switch (random.nextInt(hasRoom ? 16 : 7)) {
                case 0 -> read(1 + random.nextInt(random.nextInt(8) == 0 ? WORDS : 8));
                case 1 -> write(1 + random.nextInt(random.nextInt(8) == 0 ? WORDS : 8));
                case 2 -> writeWord();
                case 3 -> unguard();
                case 4, 15 -> guardByAny();
                case 5 -> readRecords();
                case 6 -> writeBeside(1 + random.nextInt(random.nextInt(8) == 0 ? WORDS / 2 : 8));
                case 7, 8 -> exchange();
                case 9 -> addition();
                case 10, 11, 12 -> search();
                default -> exchangeFound();
            }
        }

        private void read(int count) {
            int from = word(count);
            if (position + count > buffer.length) {
                return;
            }
            batch.read(OWNER, offset(from), position * Layouts.WORD, count * Layouts.WORD);
            if (isExecuted()) {
                System.arraycopy(words, from + moved(), buffer, position, count);
            }
            position += count;
        }

        private void readRecords() {
            int stride = 1 + random.nextInt(8);
            int count = 1 + random.nextInt(random.nextInt(8) == 0 ? Batch.RECORDS : 4);
            int from = word(stride * count);
            if (position + (stride + 1) * count > buffer.length) {
                return;
            }
            batch.readRecords(OWNER, offset(from), stride * Layouts.WORD, count, position * Layouts.WORD);
            for (int record = 0; record < count; record++) {
                for (int word = 0; isExecuted() && word <= stride; word++) {
                    buffer[position + word] = words[from + moved() + record * stride + word % stride];
                }
                position += stride + 1;
            }
        }

        private void write(int count) {
            int to = word(count);
            if (position + count > buffer.length) {
                return;
            }
            for (int word = 0; word < count; word++) {
                set(position + word, random.nextInt(SMALL));
            }
            batch.write(OWNER, offset(to), position * Layouts.WORD, count * Layouts.WORD);
            if (isExecuted()) {
                System.arraycopy(buffer, position, words, to + moved(), count);
            }
            position += count;
        }

        private void writeBeside(int count) {
            int to = word(2 * count);
            if (guard == NONE || position + count > buffer.length) {
                return;
            }
            for (int word = 0; word < count; word++) {
                set(position + word, random.nextInt(SMALL));
            }
            int bit = random.nextInt(3);
            batch.writeBeside(OWNER, offset(to), position * Layouts.WORD, count * Layouts.WORD, bit);
            if (isExecuted()) {
                int passed = (atomics.get(guard).result >> bit & 1) == 0 ? count : 0;
                System.arraycopy(buffer, position, words, to + passed + moved(), count);
            }
            position += count;
        }

        private void set(int word, long value) {
            buffer[word] = value;
            batch.setWord(word * Layouts.WORD, value);
        }

        private void writeWord() {
            int to = word(1);
            long value = random.nextInt(SMALL);
            batch.writeWord(OWNER, offset(to), value);
            if (isExecuted()) {
                words[to + moved()] = value;
            }
        }

        private void guardByAny() {
            int index = atomics.isEmpty() ? NONE : random.nextInt(atomics.size());
            if (index != NONE && atomics.get(index).isGuard) {
                batch.guard(index);
                guard = index;
            }
        }

        private Expected expect(boolean isSearch, boolean isGuard, int own) {
            var expected = new Expected(guard, isSearch, isGuard,
                    own + (guard == NONE ? 0 : atomics.get(guard).reach));
            atomics.add(expected);
            return expected;
        }

        private void exchange() {
            int at = word(1);
            long expected = random.nextInt(SMALL);
            long value = random.nextInt(SMALL);
            batch.compareAndExchange(OWNER, offset(at), expected, value);
            exchanged(expect(false, true, 0), at, expected, value);
        }

        private void exchanged(Expected exchange, int at, long expected, long value) {
            if (isExecuted()) {
                exchange.result = words[at + moved()];
                exchange.hasSucceeded = exchange.result == expected;
                if (exchange.hasSucceeded) {
                    exchange.moved = moved();
                    words[at + moved()] = value;
                }
            }
        }

        private void addition() {
            int at = word(1);
            batch.getAndAdd(OWNER, offset(at), 1);
            Expected addition = expect(false, false, 0);
            if (isExecuted()) {
                addition.result = words[at + moved()]++;
            }
        }

        private void exchangeFound() {
            if (guard == NONE || !atomics.get(guard).isSearch) {
                return;
            }
            int search = guard;
            int at = word(1);
            if (guard == NONE) {
                return;
            }
            long keep = random.nextBoolean() ? -1 : 1;
            long addend = random.nextInt(2);
            batch.exchangeFound(OWNER, offset(at), keep, addend);
            long found = atomics.get(search).result;
            exchanged(expect(false, true, 0), at, found, (found & keep) + addend);
        }

        private void search() {
            int stride = 1 + random.nextInt(4);
            int count = 1 + random.nextInt(8);
            int tests = 1 + random.nextInt(2);
            int from = word(stride * count);
            if (position + 8 > buffer.length) {
                return;
            }
            int[] displacements = new int[tests];
            long[] smallest = new long[tests];
            long[] greatest = new long[tests];
            for (int test = 0; test < tests; test++) {
                displacements[test] = random.nextInt(stride);
                smallest[test] = random.nextInt(SMALL);
                greatest[test] = smallest[test] + random.nextInt(2);
                WordTest.put(batch, (position + 4 * test) * Layouts.WORD, displacements[test] * Layouts.WORD, -1,
                        smallest[test], greatest[test]);
            }
            for (int word = 0; word < 4 * tests; word++) {
                buffer[position + word] = batch.word((position + word) * Layouts.WORD);
            }
            batch.search(OWNER, offset(from), stride * Layouts.WORD, count, position * Layouts.WORD, tests);
            position += 4 * tests;
            Expected search = expect(true, true, stride * (count - 1));
            for (int record = 0; isExecuted() && record < count && !search.hasSucceeded; record++) {
                search.hasSucceeded = true;
                for (int test = 0; test < tests; test++) {
                    long word = words[from + moved() + record * stride + displacements[test]];
                    search.hasSucceeded &= smallest[test] <= word && word <= greatest[test];
                }
                if (search.hasSucceeded) {
                    search.moved = moved() + record * stride;
                    search.result = words[from + search.moved + displacements[0]];
                }
            }
        }

        private void check() {
            batch.complete();
            for (int index = 0; index < atomics.size(); index++) {
                Expected expected = atomics.get(index);
                assertThat(batch.answered(index)).as("atomic %d", index).isTrue();
                assertThat(batch.result(index)).as("atomic %d", index).isEqualTo(expected.result);
                if (expected.isGuard) {
                    assertThat(batch.succeeded(index)).as("atomic %d", index).isEqualTo(expected.hasSucceeded);
                    assertThat(batch.displacement(index)).as("atomic %d", index)
                            .isEqualTo(expected.moved * Layouts.WORD);
                }
            }
            for (int word = 0; word < position; word++) {
                assertThat(batch.word(word * Layouts.WORD)).as("word %d of the buffer", word).isEqualTo(buffer[word]);
            }
            for (int word = 0; word < WORDS; word++) {
                assertThat(owner.getAcquire(offset(word))).as("word %d", word).isEqualTo(words[word]);
            }
            batch.close();
        }
    }

    @Test
    void aBatchDoesWhatItsVerbsDoOneAfterTheOther() {
        int most = fabric.batch().mostAtomics();
        for (long seed = 0; seed < BATCHES; seed++) {
            var trial = new Trial(seed);
            int atomics = seed % 4 == 0 ? most : 1 + trial.random.nextInt(most);
            int verbs = seed % 4 == 0 ? 4 * most : 1 + trial.random.nextInt(2 * most);
            for (int verb = 0; verb < verbs; verb++) {
                trial.add(atomics);
            }
            try {
                trial.check();
            } catch (AssertionError failure) {
                throw new AssertionError("seed=" + seed, failure);
            }
        }
    }
}
