package io.atoll.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Structures rely on the order of the loads: if the first word has not changed, no other word has. */
class RecordReadTest {

    private static final long RECORD = 24;

    private final MemorySegment segment = Arena.ofAuto().allocate(4 * RECORD, Layouts.CACHE_LINE);
    private final MappedMemory words = new MappedMemory(segment);
    private final MemorySegment target = MemorySegment.ofArray(new long[16]);
    private final List<String> loads = new ArrayList<>();

    /** Counts the first word of each record up whenever something is loaded. */
    private final LocalMemory observed = Wrapper.around(words, LocalMemory.class, call -> {
        loads.add(call.name() + " " + call.arguments()[0]);
        Object loaded = call.proceed();
        for (long record = 0; record < 4 * RECORD; record += RECORD) {
            words.getAndAdd(record, 1);
        }
        return loaded;
    });

    @Test
    void theFirstWordIsLoadedByAcquireBeforeTheOthersAndBehindThem() {
        words.setRelease(RECORD + 8, 7);
        words.setRelease(RECORD + 16, 8);
        RecordRead.load(observed, RECORD, RECORD, 2, target, 8);
        assertThat(loads).containsExactly("getAcquire 24", "load 32", "getAcquire 24", "getAcquire 48", "load 56",
                "getAcquire 48");
        assertThat(target.toArray(JAVA_LONG)).containsExactly(0, 0, 7, 8, 2, 3, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void aRecordOfOneWordArrivesTwice() {
        RecordRead.load(observed, 0, Layouts.WORD, 1, target, 0);
        assertThat(target.get(JAVA_LONG, 0)).isZero();
        assertThat(target.get(JAVA_LONG, 8)).isPositive();
    }

    @Test
    void recordsAreOfWholeWordsAndBringNoMoreThanAVerbOf32KiBDoes() {
        assertThat(RecordRead.isPossible(8, 1)).isTrue();
        assertThat(RecordRead.isPossible(8, 64)).isTrue();
        assertThat(RecordRead.isPossible(504, 64)).isTrue();
        assertThat(RecordRead.isPossible(32_760, 1)).isTrue();
        assertThat(RecordRead.isPossible(512, 64)).isFalse();
        assertThat(RecordRead.isPossible(32_768, 1)).isFalse();
        assertThat(RecordRead.isPossible(8, 65)).isFalse();
        assertThat(RecordRead.isPossible(8, 0)).isFalse();
        assertThat(RecordRead.isPossible(12, 1)).isFalse();
        assertThat(RecordRead.isPossible(0, 1)).isFalse();
        assertThat(RecordRead.isPossible(-8, 1)).isFalse();
    }
}
