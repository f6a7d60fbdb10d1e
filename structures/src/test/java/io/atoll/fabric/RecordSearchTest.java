package io.atoll.fabric;

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

/** Structures rely on the order in which a search loads words: the first one says that the others are valid. */
class RecordSearchTest {

    private static final long RECORD = 24;

    private final MemorySegment segment = Arena.ofAuto().allocate(4 * RECORD, Layouts.CACHE_LINE);
    private final List<String> loads = new ArrayList<>();
    private final LocalMemory observed = Wrapper.around(new MappedMemory(segment), LocalMemory.class, call -> {
        loads.add(call.name() + " " + call.arguments()[0]);
        return call.proceed();
    });
    private final ImmediateBatch tests = new ImmediateBatch((_, _) -> observed, 4 * WordTest.BYTES);

    @Test
    void theWordsOfARecordAreLoadedInTheOrderOfTheirTestsByAcquireUntilOneFails() {
        var words = new MappedMemory(segment);
        words.setRelease(16, 1); // of the first record: its second test fails
        words.setRelease(2 * RECORD + 16, 1);
        words.setRelease(2 * RECORD, 2);
        WordTest.putEqual(tests, 0, 16, 1);
        WordTest.putEqual(tests, WordTest.BYTES, 0, 2);
        WordTest.putEqual(tests, 2 * WordTest.BYTES, 8, 0);
        var search = new RecordSearch();
        search.run(observed, 0, 4 * RECORD, RECORD, tests.buffer(), 0, 3);
        assertThat(search.displacement()).isEqualTo(2 * RECORD);
        assertThat(search.word()).isEqualTo(1);
        assertThat(loads).containsExactly("getAcquire 16", "getAcquire 0", "getAcquire 40", "getAcquire 64",
                "getAcquire 48", "getAcquire 56");
    }
}
