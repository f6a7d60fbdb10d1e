package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Wrapper;
import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.Prefetch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how an owner handles the requests of ranks, and bytes that no rank sends. */
@Tag("network")
class FrameExecutorTest {

    private static final int SEGMENT_BYTES = 4096;
    private static final int GUARD_BYTES = 4096;
    private static final byte UNTOUCHED = 0x5A;

    // The segment, and the memory around it, which must never be written to.
    private final MemorySegment around = Arena.ofAuto().allocate(SEGMENT_BYTES + 2 * GUARD_BYTES, 64).fill(UNTOUCHED);
    private final MemorySegment segment = around.asSlice(GUARD_BYTES, SEGMENT_BYTES, 64).fill((byte) 0);
    private final FrameExecutor executor = new FrameExecutor(new MappedMemory(segment));
    private final MemorySegment in = Arena.ofAuto().allocate(2 * Frame.MAXIMUM_BYTES, 8);
    private final MemorySegment out = Arena.ofAuto().allocate(Frame.MAXIMUM_BYTES, 8);
    private int end;
    private int verbs;
    private int nextGuard;
    private int nextCount;

    private FrameExecutorTest begin() {
        end = Frame.HEADER_BYTES;
        verbs = 0;
        return this;
    }

    private FrameExecutorTest verb(int kind, int length, long offset, long... operands) {
        in.set(JAVA_BYTE, end + Frame.KIND, (byte) kind);
        in.set(JAVA_BYTE, end + Frame.GUARD, (byte) nextGuard);
        nextGuard = 0;
        in.set(JAVA_BYTE, end + Frame.COUNT, (byte) nextCount);
        nextCount = 0;
        in.set(JAVA_INT, end + Frame.LENGTH, length);
        in.set(JAVA_LONG, end + Frame.OFFSET, offset);
        end += Frame.VERB_BYTES;
        for (long operand : operands) {
            in.set(JAVA_LONG, end, operand);
            end += Long.BYTES;
        }
        verbs++;
        return this;
    }

    /** Guards the next verb: says by which exchange before {@link #verb} is called. */
    private FrameExecutorTest guarded(int guard) {
        nextGuard = guard;
        return this;
    }

    /**
     * Adds a search.
     *
     * @param tests the words of its tests
     */
    private FrameExecutorTest search(int length, long offset, long stride, long... tests) {
        nextCount = tests.length / 4;
        long[] operands = new long[1 + tests.length];
        operands[0] = stride;
        System.arraycopy(tests, 0, operands, 1, tests.length);
        return verb(Frame.SEARCH, length, offset, operands);
    }

    private FrameExecutorTest readRecords(int length, long offset, int count) {
        nextCount = count;
        return verb(Frame.READ_RECORDS, length, offset);
    }

    /** Adds a write to one of two places of a word each, beside that which this bit names. */
    private FrameExecutorTest writeBeside(int guard, int bit, long offset, long word) {
        nextCount = bit;
        return guarded(guard).verb(Frame.WRITE_BESIDE, 16, offset, word);
    }

    private FrameExecutorTest searchFor(long key, int length, long offset) {
        return search(length, offset, 16, 0, -1, key, key);
    }

    /** Stores records of a key and a value, from the beginning of the segment on. */
    private FrameExecutorTest stored(long... words) {
        MemorySegment.copy(words, 0, segment, JAVA_LONG, 0, words.length);
        return begin();
    }

    private long word(long offset) {
        return segment.get(JAVA_LONG, offset);
    }

    private long[] results(int count) {
        return out.asSlice(Frame.HEADER_BYTES, 8L * count).toArray(JAVA_LONG);
    }

    private int execute(int flags) throws MalformedFrameException {
        return execute(flags, executor);
    }

    private int execute(int flags, FrameExecutor by) throws MalformedFrameException {
        in.set(JAVA_INT, Frame.BYTES, end);
        in.set(JAVA_SHORT, Frame.VERBS, (short) verbs);
        in.set(JAVA_SHORT, Frame.FLAGS, (short) flags);
        in.set(JAVA_LONG, Frame.NUMBER, 7);
        return by.execute(in, 0, out, 0);
    }

    private int execute() throws MalformedFrameException {
        return execute(Frame.ANSWER_WANTED);
    }

    private long result(int word) {
        return out.get(JAVA_LONG, Frame.HEADER_BYTES + 8L * word);
    }

    private int status() {
        return out.get(JAVA_SHORT, Frame.STATUS);
    }

    @Test
    void readsOfNothingAtTheEndOfTheSegmentBringNothing() throws Exception {
        begin();
        for (int verb = 0; verb < Prefetch.FEWEST; verb++) {
            verb(Frame.READ, 0, SEGMENT_BYTES);
        }
        assertThat(execute()).isEqualTo(Frame.HEADER_BYTES);
        assertThat(status()).isZero();
    }

    @Test
    void verbsAreExecutedInTheirOrderAndTheirResultsFollowEachOther() throws Exception {
        int bytes = begin().verb(Frame.WRITE, 16, 64, 5, 6)
                .verb(Frame.GET_AND_ADD, 8, 64, 10)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 64, 15, 20)
                .verb(Frame.READ, 16, 64)
                .verb(Frame.GET_AND_BITWISE_OR, 8, 72, 9)
                .verb(Frame.GET_AND_SET, 8, 72, 1)
                .verb(Frame.READ, 8, 72)
                .execute();
        assertThat(bytes).isEqualTo(Frame.HEADER_BYTES + 7 * 8);
        assertThat(new long[]{result(0), result(1), result(2), result(3), result(4), result(5), result(6)})
                .containsExactly(5, 15, 20, 6, 6, 15, 1);
        assertThat(status()).isZero();
        assertThat(out.get(JAVA_LONG, Frame.NUMBER)).isEqualTo(7);
        assertThat(out.get(JAVA_INT, Frame.BYTES)).isEqualTo(bytes);
    }

    @Test
    void aRequestThatAsksForNoAnswerGetsNone() throws Exception {
        assertThat(begin().verb(Frame.WRITE, 8, 0, 3).execute(0)).isZero();
        assertThat(segment.get(JAVA_LONG, 0)).isEqualTo(3);
    }

    /** A processor lets a load overtake a store, unless a full fence separates them. */
    @Test
    void aFullFenceStandsBetweenAStoreAndTheNextLoad() throws Exception {
        List<String> calls = new ArrayList<>();
        LocalMemory memory = new MappedMemory(segment);
        LocalMemory observed = Wrapper.around(memory, LocalMemory.class, call -> {
            calls.add(call.name());
            return call.proceed();
        });
        FrameExecutor by = new FrameExecutor(observed);

        begin().verb(Frame.WRITE, 8, 0, 1)
                .verb(Frame.WRITE, 8, 8, 1)
                .verb(Frame.READ, 8, 16)
                .verb(Frame.READ, 8, 24)
                .verb(Frame.WRITE, 8, 0, 2)
                .execute(0, by);
        begin().verb(Frame.READ, 8, 16).verb(Frame.WRITE, 8, 0, 3).searchFor(4, 16, 0).execute(0, by);
        begin().verb(Frame.WRITE, 8, 0, 4).readRecords(16, 0, 1).execute(0, by);

        calls.removeIf("size"::equals);
        assertThat(calls.subList(0, 6)).containsExactly("get", "get", "get", "get", "get", "acquireFence"); // early
        assertThat(calls.subList(6, calls.size())).containsExactly("store", "store", "fullFence", "load", "load",
                "store", "fullFence", "load", "store", "fullFence", "getAcquire", "store", "fullFence", "getAcquire",
                "load", "getAcquire");
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, SEGMENT_BYTES, SEGMENT_BYTES + 8, Long.MAX_VALUE - 7, Long.MIN_VALUE, 4, 12, 1L << 40})
    void aVerbOutsideOfTheSegmentIsNamedAndNoneBehindItIsExecuted(long offset) throws Exception {
        for (int kind : new int[]{Frame.READ, Frame.WRITE, Frame.GET_AND_ADD, Frame.GET_AND_SET}) {
            segment.fill((byte) 0);
            begin().verb(Frame.WRITE, 8, 0, 1);
            if (kind == Frame.READ) {
                verb(kind, 8, offset);
            } else {
                verb(kind, 8, offset, 2);
            }
            verb(Frame.WRITE, 8, 8, 3);
            verb(Frame.READ, 8, 0); // enough verbs to be loaded before
            assertThat(execute()).isEqualTo(Frame.HEADER_BYTES);
            assertThat(status()).isEqualTo(2);
            assertThat(segment.get(JAVA_LONG, 0)).isEqualTo(1);
            assertThat(segment.get(JAVA_LONG, 8)).isZero();
        }
    }

    @Test
    void theLastWordOfTheSegmentIsInside() throws Exception {
        begin().verb(Frame.WRITE, 8, SEGMENT_BYTES - 8, 3).verb(Frame.READ, 8, SEGMENT_BYTES - 8).execute();
        assertThat(status()).isZero();
        assertThat(result(0)).isEqualTo(3);
        begin().verb(Frame.READ, 16, SEGMENT_BYTES - 8).execute();
        assertThat(status()).isEqualTo(1);
    }

    private void isMalformed() {
        long before = segment.get(JAVA_LONG, 0);
        assertThatThrownBy(this::execute).isInstanceOf(MalformedFrameException.class);
        assertThat(segment.get(JAVA_LONG, 0)).as("nothing of it is executed").isEqualTo(before);
    }

    @Test
    void whatNoRankSendsIsRefusedAsAWhole() {
        for (int length : new int[]{-8, -1, 4, 12, Frame.MAXIMUM_LENGTH + 8, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            begin().verb(Frame.WRITE, 8, 0, 1).verb(Frame.READ, length, 0).isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1).verb(Frame.WRITE, length, 0, 1).isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1).verb(Frame.GET_AND_ADD, length, 0, 1).isMalformed();
        }
        for (int kind : new int[]{0, Frame.LAST_KIND + 1, -1, 127, -128}) {
            begin().verb(Frame.WRITE, 8, 0, 1).verb(kind, 8, 0, 1).isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1).verb(kind, kind & -8, 0).isMalformed();
        }
        begin().verb(Frame.WRITE, 16, 0, 1).isMalformed();
        begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 1).isMalformed();
        begin().verb(Frame.GET_AND_ADD, 8, 0, 1, 2).isMalformed();
        begin().verb(Frame.WRITE, 8, 0, 1);
        verbs = 2;
        isMalformed();
        verbs = 0;
        isMalformed();
        begin().verb(Frame.READ, Frame.MAXIMUM_LENGTH, 0).verb(Frame.READ, Frame.MAXIMUM_LENGTH, 0).isMalformed();
    }

    @Test
    void aGuardThatIsNoEarlierExchangeIsRefusedAsAWhole() {
        for (int guard : new int[]{1, 2, 64, 65, 127, -128, -1}) {
            begin().guarded(guard).verb(Frame.WRITE, 8, 0, 1).isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1)
                    .guarded(guard)
                    .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 0, 1)
                    .isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1)
                    .verb(Frame.GET_AND_ADD, 8, 8, 1)
                    .guarded(guard)
                    .verb(Frame.READ, 8, 0)
                    .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 0, 1)
                    .isMalformed();
        }
        begin();
        for (int atomic = 1; atomic <= 65; atomic++) {
            verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 0, 1);
        }
        guarded(65).verb(Frame.WRITE, 8, 0, 1).isMalformed();
    }

    @Test
    void aGuardedVerbIsExecutedOnlyIfItsExchangeTookPlace() throws Exception {
        out.fill(UNTOUCHED);
        begin().verb(Frame.GET_AND_ADD, 8, 0, 5)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 8, 0, 1) // 2: takes place
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 8, 0, 2) // 3: does not
                .guarded(2)
                .verb(Frame.WRITE, 8, 16, 7)
                .guarded(3)
                .verb(Frame.WRITE, 8, 24, 7)
                .guarded(3)
                .verb(Frame.READ, 16, 0)
                .guarded(3)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 32, 0, 1) // 4: is skipped, though it would
                .guarded(4)
                .verb(Frame.GET_AND_SET, 8, 32, 1)
                .guarded(2)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 16, 7, 8) // 6: takes place
                .guarded(6)
                .verb(Frame.GET_AND_BITWISE_OR, 8, 16, 16)
                .verb(Frame.READ, 40, 0)
                .execute();
        assertThat(status()).isZero();
        assertThat(new long[]{result(0), result(1), result(2), result(3), result(4), result(5), result(6), result(7),
            result(8)}).containsExactly(0, 0, 1, 0, 0, 0, 0, 7, 8);
        assertThat(new long[]{result(9), result(10), result(11), result(12), result(13)})
                .containsExactly(5, 1, 24, 0, 0);
    }

    @Test
    void theFirst64AtomicsOfAFrameAreGuards() throws Exception {
        begin();
        for (int atomic = 0; atomic < 64; atomic++) {
            verb(Frame.COMPARE_AND_EXCHANGE, 8, 8 * atomic, atomic % 2, 1);
        }
        for (int atomic = 0; atomic < 64; atomic++) {
            guarded(atomic + 1).verb(Frame.WRITE, 8, 1024 + 8 * atomic, 3);
        }
        execute();
        for (int atomic = 0; atomic < 64; atomic++) {
            assertThat(segment.get(JAVA_LONG, 1024 + 8 * atomic)).isEqualTo(atomic % 2 == 0 ? 3 : 0);
        }
    }

    @Test
    void aVerbOutsideOfTheSegmentIsNamedAlsoIfItWouldBeSkipped() throws Exception {
        begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 1, 2)
                .guarded(1)
                .verb(Frame.WRITE, 8, SEGMENT_BYTES, 1)
                .execute();
        assertThat(status()).isEqualTo(2);
    }

    @Test
    void aSearchTellsTheWordOfItsFirstTestAndWhereItIs() throws Exception {
        int bytes = stored(7, 100, 8, 200, 9, 300, 9, 400).searchFor(9, 64, 0)
                .searchFor(10, 64, 0)
                .search(64, 0, 16, 8, 0xF, 0, 0xF, 0, -1, 8, 8) // any value of the key 8
                .search(32, 32, 8, 0, -1, 300, -1)
                .execute();
        assertThat(bytes).isEqualTo(Frame.HEADER_BYTES + 4 * 16);
        assertThat(results(8)).containsExactly(9, 32, 0, -1, 200, 16, 300, 8);
        assertThat(status()).isZero();
    }

    @Test
    void whatASearchGuardsMovesToTheRecordFound() throws Exception {
        stored(7, 100, 8, 200, 9, 300).searchFor(8, 48, 0)
                .guarded(1)
                .verb(Frame.GET_AND_ADD, 8, 8, 5)
                .guarded(1)
                .verb(Frame.WRITE, 8, 16, 10)
                .guarded(1)
                .verb(Frame.READ, 16, 0)
                .verb(Frame.READ, 8, 32)
                .execute();
        assertThat(results(6)).containsExactly(8, 16, 200, 8, 205, 10);
        assertThat(word(32)).isEqualTo(10);
    }

    @Test
    void whatASearchGuardsThatFindsNothingIsSkipped() throws Exception {
        out.fill(UNTOUCHED);
        stored(7, 100, 8, 200).searchFor(9, 32, 0)
                .guarded(1)
                .verb(Frame.GET_AND_ADD, 8, 8, 5)
                .guarded(1)
                .searchFor(7, 32, 0)
                .guarded(3)
                .verb(Frame.EXCHANGE_FOUND, 8, 0, 0, 5)
                .guarded(1)
                .verb(Frame.WRITE, 8, 0, 10)
                .execute();
        assertThat(results(6)).containsExactly(0, -1, 0, 0, 0, 0);
        assertThat(word(0)).isEqualTo(7);
        assertThat(word(8)).isEqualTo(100);
    }

    @Test
    void displacementsOfGuardsAddUp() throws Exception {
        stored(1, 10, 2, 20, 3, 30, 4, 40, 5, 50).searchFor(2, 32, 0)
                .guarded(1)
                .searchFor(4, 48, 0) // two records behind the first one
                .guarded(2)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 8, 40, 41) // 3: takes place
                .guarded(3)
                .verb(Frame.WRITE, 8, 0, 6)
                .guarded(1)
                .verb(Frame.WRITE, 8, 8, 21)
                .execute();
        assertThat(results(5)).containsExactly(2, 16, 4, 32, 40);
        assertThat(word(48)).isEqualTo(6);
        assertThat(word(56)).isEqualTo(41);
        assertThat(word(24)).isEqualTo(21);
    }

    @Test
    void anExchangeOfTheFoundWordKeepsBitsAndAddsIfTheWordIsStillTheSame() throws Exception {
        stored(7, 100, 8, 0x1234).search(32, 0, 16, 8, 0xFF00, 0x1200, 0x1200)
                .guarded(1)
                .verb(Frame.EXCHANGE_FOUND, 8, 8, 0xF0, 5) // 2: takes place
                .guarded(2)
                .verb(Frame.WRITE, 8, 0, 9)
                .guarded(1)
                .verb(Frame.EXCHANGE_FOUND, 8, 8, 0, 6) // 3: the word is another one by now
                .guarded(3)
                .verb(Frame.WRITE, 8, 0, 10)
                .execute();
        assertThat(results(4)).containsExactly(0x1234, 16, 0x1234, 0x35);
        assertThat(word(24)).isEqualTo(0x35);
        assertThat(word(16)).isEqualTo(9);
    }

    @Test
    void aWriteGoesBesideThePlaceThatABitOfTheWordFoundNames() throws Exception {
        stored(7, 0, 0, 8, 0, 0).search(48, 0, 24, 0, -1, 8, 8) // the second record
                .writeBeside(1, 3, 8, 11) // the bit is 1
                .writeBeside(1, 2, 8, 12) // the bit is 0
                .guarded(1)
                .verb(Frame.EXCHANGE_FOUND, 8, 0, 0, 4) // 2: takes place
                .writeBeside(2, 3, 72, 13) // the bit of the word that was, not of the one that is now
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 7, Long.MIN_VALUE) // 3: takes place
                .writeBeside(3, 0, 112, 14)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, Long.MIN_VALUE, 7) // 4: takes place
                .writeBeside(4, 63, 128, 15)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 8, 9) // 5: does not
                .writeBeside(5, 0, 144, 16)
                .execute();
        assertThat(status()).isZero();
        assertThat(new long[]{word(8), word(16)}).as("of the record that was not found").containsExactly(0, 0);
        assertThat(new long[]{word(32), word(40)}).containsExactly(11, 12);
        assertThat(new long[]{word(96), word(104)}).containsExactly(13, 0);
        assertThat(new long[]{word(112), word(120)}).containsExactly(14, 0);
        assertThat(new long[]{word(128), word(136)}).containsExactly(15, 0);
        assertThat(new long[]{word(144), word(152)}).containsExactly(0, 0);
    }

    @Test
    void aPlaceOutsideOfTheSegmentIsNamedWhicheverIsWritten() throws Exception {
        for (long offset : new long[]{-8, -16, SEGMENT_BYTES - 8, SEGMENT_BYTES, 4, Long.MAX_VALUE - 7,
            Long.MAX_VALUE - 15, Long.MIN_VALUE}) {
            for (int bit = 0; bit < 2; bit++) {
                stored(1).verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 1, 1)
                        .writeBeside(1, bit, offset, 5)
                        .verb(Frame.WRITE, 8, 8, 6)
                        .execute();
                assertThat(status()).as("offset=%s bit=%s", offset, bit).isEqualTo(2);
                assertThat(word(8)).isZero();
            }
        }
        stored(1).verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 1, 1)
                .writeBeside(1, 0, SEGMENT_BYTES - 16, 5)
                .writeBeside(1, 1, SEGMENT_BYTES - 16, 6)
                .execute();
        assertThat(status()).isZero();
        assertThat(new long[]{word(SEGMENT_BYTES - 16), word(SEGMENT_BYTES - 8)}).containsExactly(5, 6);
    }

    /** A search moves the second place out of the segment. */
    @Test
    void aPlaceThatMovesOutOfTheSegmentIsNamed() throws Exception {
        stored(7, 100, 8, 200).searchFor(8, 32, 0).writeBeside(1, 3, SEGMENT_BYTES - 16, 5).execute();
        assertThat(status()).isEqualTo(2);
        assertThat(word(SEGMENT_BYTES - 16)).isZero();
    }

    @Test
    void aWriteBesideThatNoRankSendsIsRefusedAsAWhole() {
        begin().verb(Frame.WRITE, 8, 0, 1).writeBeside(0, 0, 64, 5).isMalformed(); // beside nothing
        for (int guard : new int[]{1, 2, 64, 65, 127, -128, -1}) {
            begin().verb(Frame.GET_AND_ADD, 8, 0, 1).writeBeside(guard, 0, 64, 5).isMalformed();
        }
        for (int bit : new int[]{64, 65, 127, -128, -1}) {
            begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, word(0), 1).writeBeside(1, bit, 64, 5).isMalformed();
        }
        for (int length : new int[]{-16, -8, 8, 24, 4, Frame.MAXIMUM_LENGTH + 16, Integer.MAX_VALUE,
            Integer.MIN_VALUE}) {
            begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, word(0), 1)
                    .guarded(1)
                    .verb(Frame.WRITE_BESIDE, length, 64, 5)
                    .isMalformed();
        }
        begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, word(0), 1)
                .guarded(1)
                .verb(Frame.WRITE_BESIDE, 16, 64, 5, 6) // the bytes of both places
                .isMalformed();
        begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, word(0), 1)
                .guarded(1)
                .verb(Frame.WRITE_BESIDE, 32, 64, 5) // cut off
                .isMalformed();
    }

    @Test
    void noGuardOfAnEarlierFrameMovesAnything() throws Exception {
        stored(7, 100, 8, 200).searchFor(8, 32, 0).guarded(1).verb(Frame.WRITE, 8, 8, 1).execute();
        begin().verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 7, 70)
                .guarded(1)
                .verb(Frame.WRITE, 8, 8, 5)
                .execute();
        assertThat(word(0)).isEqualTo(70);
        assertThat(word(8)).isEqualTo(5);
    }

    @Test
    void searchesBeyondTheFirst64AtomicsGuardNothing() throws Exception {
        stored(7, 100, 8, 200);
        for (int number = 1; number < 64; number++) {
            verb(Frame.GET_AND_ADD, 8, 64, 1);
        }
        searchFor(8, 32, 0).searchFor(7, 32, 0).guarded(64).verb(Frame.WRITE, 8, 8, 1).execute();
        assertThat(word(24)).isEqualTo(1);
        begin();
        for (int number = 1; number <= 64; number++) {
            verb(Frame.GET_AND_ADD, 8, 64, 1);
        }
        searchFor(8, 32, 0).guarded(65).verb(Frame.WRITE, 8, 8, 1).isMalformed();
    }

    @Test
    void aSearchThatNoRankSendsIsRefusedAsAWhole() {
        long[] test = {0, -1, 0, -1};
        for (int length : new int[]{0, 8, 24, -16, 4096 + 16, Integer.MIN_VALUE, Integer.MAX_VALUE - 15}) {
            begin().verb(Frame.WRITE, 8, 0, 1).search(length, 0, 16, test).isMalformed();
        }
        for (long stride : new long[]{0, -16, 4, 12, 24, 4104, Long.MIN_VALUE, Long.MAX_VALUE - 7}) {
            begin().verb(Frame.WRITE, 8, 0, 1).search(64, 0, stride, test).isMalformed();
        }
        for (long displacement : new long[]{16, -8, 4, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
            begin().verb(Frame.WRITE, 8, 0, 1).search(32, 0, 16, displacement, -1, 0, -1).isMalformed();
            begin().verb(Frame.WRITE, 8, 0, 1).search(32, 0, 16, 0, -1, 0, 0, displacement, -1, 0, -1).isMalformed();
        }
        for (int tests : new int[]{0, 2, 9, 127, -1, -128}) {
            begin().verb(Frame.WRITE, 8, 0, 1);
            nextCount = tests;
            verb(Frame.SEARCH, 32, 0, 16, 0, -1, 0, -1).isMalformed();
        }
        begin().verb(Frame.WRITE, 8, 0, 1).search(16, 0, 16, new long[36]).isMalformed();
    }

    @Test
    void recordsHaveTheirFirstWordsBehindThemOnceMore() throws Exception {
        int bytes = stored(1, 2, 3, 4, 5, 6).readRecords(48, 0, 3)
                .readRecords(48, 0, 1)
                .readRecords(16, 16, 2)
                .verb(Frame.READ, 8, 40)
                .execute();
        assertThat(bytes).isEqualTo(Frame.HEADER_BYTES + 8 * (9 + 7 + 4 + 1));
        assertThat(results(21)).containsExactly(1, 2, 1, 3, 4, 3, 5, 6, 5, 1, 2, 3, 4, 5, 6, 1, 3, 3, 4, 4, 6);
    }

    @Test
    void recordsMoveWithTheirGuardAreSkippedWithItAndAreNoGuards() throws Exception {
        stored(7, 100, 8, 200).searchFor(8, 32, 0)
                .guarded(1)
                .readRecords(16, 0, 1)
                .searchFor(9, 32, 0)
                .guarded(2)
                .readRecords(32, 0, 2)
                .guarded(1)
                .verb(Frame.READ, 8, 8)
                .execute();
        assertThat(results(14)).containsExactly(8, 16, 8, 200, 8, 0, -1, 0, 0, 0, 0, 0, 0, 200);
        begin().readRecords(16, 0, 1).guarded(1).verb(Frame.WRITE, 8, 0, 1).isMalformed();
    }

    @Test
    void recordsBeyondTheSegmentAreNotRead() throws Exception {
        begin().readRecords(48, SEGMENT_BYTES - 40, 3).execute();
        assertThat(status()).isEqualTo(1);
        begin().readRecords(48, SEGMENT_BYTES - 48, 3).execute();
        assertThat(status()).isZero();
    }

    @Test
    void recordsThatNoRankReadsAreRefusedAsAWhole() {
        for (int length : new int[]{0, 4, 12, 24, -16, 32_768, Integer.MIN_VALUE, Integer.MAX_VALUE - 15}) {
            begin().verb(Frame.WRITE, 8, 0, 1).readRecords(length, 0, 2).isMalformed();
        }
        for (int count : new int[]{0, 3, 4, 65, 127, -1, -2, -128}) {
            begin().verb(Frame.WRITE, 8, 0, 1).readRecords(16, 0, count).isMalformed();
        }
        begin().verb(Frame.WRITE, 8, 0, 1).readRecords(65 * 8, 0, 65).isMalformed();
        begin().verb(Frame.WRITE, 8, 0, 1).readRecords(Batch.RECORDS_BYTES, 0, 1).isMalformed();
        // Each fits, and both together do not.
        int most = Batch.RECORDS_BYTES - 8;
        begin().verb(Frame.WRITE, 8, 0, 1).readRecords(most, 0, 1).readRecords(most, 0, 1).isMalformed();
    }

    @Test
    void anExchangeOfAFoundWordWithoutASearchIsRefusedAsAWhole() {
        begin().verb(Frame.WRITE, 8, 0, 1).verb(Frame.EXCHANGE_FOUND, 8, 0, 0, 1).isMalformed();
        begin().verb(Frame.WRITE, 8, 0, 1)
                .verb(Frame.COMPARE_AND_EXCHANGE, 8, 0, 0, 1)
                .guarded(1)
                .verb(Frame.EXCHANGE_FOUND, 8, 0, 0, 1)
                .isMalformed();
        begin().verb(Frame.WRITE, 8, 0, 1)
                .searchFor(1, 16, 0)
                .guarded(2)
                .verb(Frame.EXCHANGE_FOUND, 8, 0, 0, 1)
                .isMalformed();
        begin().verb(Frame.WRITE, 8, 0, 1).searchFor(1, 16, 0).guarded(1).verb(Frame.EXCHANGE_FOUND, 8, 0, 0);
        isMalformed();
    }

    /** Its place is known only when its search has found something. */
    @Test
    void aVerbThatMovesOutOfTheSegmentIsNamedAndNoneBehindItIsExecuted() throws Exception {
        stored(7, 100, 8, 200).searchFor(8, 32, 0)
                .guarded(1)
                .verb(Frame.GET_AND_ADD, 8, 8, 1)
                .guarded(1)
                .verb(Frame.WRITE, 8, SEGMENT_BYTES - 8, 1)
                .verb(Frame.WRITE, 8, 0, 1)
                .execute();
        assertThat(status()).isEqualTo(3);
        assertThat(word(24)).isEqualTo(201);
        assertThat(word(0)).isEqualTo(7);
        begin().searchFor(8, 32, SEGMENT_BYTES - 16).execute();
        assertThat(status()).as("not all of its records are inside").isEqualTo(1);
        begin().searchFor(0, 32, SEGMENT_BYTES - 32).execute();
        assertThat(status()).isZero();
    }

    /** A valid frame with any change is either executed within the segment or refused. */
    @Test
    void mutatedFramesTouchNothingOutsideOfTheSegment() {
        Random random = new Random(1907);
        long[] edges = {0, -1, 1, 8, 15, 16, 4096, 4088, 32_768, 32_776, 65_535, 65_536, Integer.MAX_VALUE,
            Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE};
        for (int round = 0; round < 100_000; round++) {
            begin().verb(Frame.WRITE, 16, 8 * random.nextInt(512), 1, 2)
                    .verb(Frame.READ, 8 * random.nextInt(64), 8 * random.nextInt(512))
                    .verb(Frame.COMPARE_AND_EXCHANGE, 8, 8 * random.nextInt(512), 0, 1)
                    .guarded(random.nextInt(2))
                    .verb(Frame.GET_AND_ADD, 8, 8 * random.nextInt(512), 3)
                    .guarded(random.nextInt(2))
                    .search(16 * random.nextInt(1, 64), 8 * random.nextInt(512), 16, 8, random.nextInt(), 0, 1)
                    .guarded(random.nextInt(4) == 0 ? 1 : 3)
                    .verb(Frame.WRITE, 8, 8 * random.nextInt(512), 4)
                    .guarded(3)
                    .verb(Frame.EXCHANGE_FOUND, 8, 8 * random.nextInt(512), -1, 1)
                    .guarded(random.nextInt(4))
                    .readRecords(48 * random.nextInt(1, 64), 8 * random.nextInt(512), random.nextInt(1, 4));
            in.set(JAVA_INT, Frame.BYTES, end);
            in.set(JAVA_SHORT, Frame.VERBS, (short) verbs);
            in.set(JAVA_SHORT, Frame.FLAGS, (short) Frame.ANSWER_WANTED);
            mutate(random, edges);
            int bytes = in.get(JAVA_INT, Frame.BYTES);
            if (!Frame.isFrame(bytes)) {
                continue; // a listener closes the connection before it executes such a frame
            }
            try {
                assertThat(executor.execute(in, 0, out, 0)).isBetween(0, Frame.MAXIMUM_BYTES);
            } catch (MalformedFrameException refused) {
                assertThat(refused).hasMessageContaining("verb=");
            }
        }
        for (long at = 0; at < GUARD_BYTES; at++) {
            assertThat(around.get(JAVA_BYTE, at)).isEqualTo(UNTOUCHED);
            assertThat(around.get(JAVA_BYTE, GUARD_BYTES + SEGMENT_BYTES + at)).isEqualTo(UNTOUCHED);
        }
    }

    private void mutate(Random random, long[] edges) {
        for (int change = random.nextInt(3); change >= 0; change--) {
            long edge = edges[random.nextInt(edges.length)];
            switch (random.nextInt(4)) {
                case 0 -> in.set(JAVA_BYTE, random.nextInt(end), (byte) random.nextInt());
                case 1 -> in.set(JAVA_SHORT, 2L * random.nextInt(end / 2), (short) edge);
                case 2 -> in.set(JAVA_INT, 4L * random.nextInt(end / 4), (int) edge);
                default -> in.set(JAVA_LONG, 8L * random.nextInt(end / 8), edge);
            }
        }
    }
}
