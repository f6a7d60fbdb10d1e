package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.world.NamedStructure;
import org.junit.jupiter.api.Test;

/** The places of all parts of a history. Ranks of one layout version agree on these numbers. */
class HistoryBlockTest {

    private static final long HITS = 0xb92642827096bb32L;

    @Test
    void theHeaderIsWhatOtherProcessesReadByNumber() {
        assertThat(new long[]{HistoryBlock.MARK, HistoryBlock.KINDS, HistoryBlock.POINT_PLACES,
            HistoryBlock.EVENT_PLACES, HistoryBlock.STRUCTURE_PLACES, HistoryBlock.BORN, HistoryBlock.IDENTITY_COUNT,
            HistoryBlock.POINT_COUNT,
            HistoryBlock.EVENT_COUNT, HistoryBlock.WRITTEN_MILLIS, HistoryBlock.DROPPED,
            HistoryBlock.OPERATION_COUNT, HistoryBlock.PID,
            HistoryBlock.STARTED_MILLIS, HistoryBlock.HOST_BYTES, HistoryBlock.HOST, HistoryBlock.VERSION_BYTES,
            HistoryBlock.VERSION, HistoryBlock.HEADER_BYTES})
                .containsExactly(0, 8, 16, 24, 32, 64, 72, 80, 88, 96, 104, 112, 128, 136, 144, 152, 216, 224, 320);
    }

    @Test
    void ofEachStructureThereAreThreeWordsBehindALine() {
        assertThat(new long[]{HistoryBlock.OPERATIONS_AT_MILLIS, HistoryBlock.INTERVAL_MILLIS, HistoryBlock.LISTED,
            HistoryBlock.OTHERS_TOTAL, HistoryBlock.OTHERS_LATELY, HistoryBlock.STRUCTURES})
                .containsExactly(0, 8, 16, 24, 32, 64);
        assertThat(new long[]{HistoryBlock.NAME_HASH, HistoryBlock.TOTAL, HistoryBlock.LATELY,
            HistoryBlock.STRUCTURE_BYTES}).containsExactly(0, 8, 16, 24);
        assertThat(HistoryBlock.OF_RANKS.operationsBytes()).isEqualTo(64 + 64 * 24);
        assertThat(HistoryBlock.OF_RANKS.structures()).isEqualTo(64);
        assertThat(NamedStructure.hash("hits")).as("what other processes compare").isEqualTo(HITS);
    }

    @Test
    void aPointHasAWordForEachSeriesAndAnEventTwoLines() {
        assertThat(new long[]{HistoryBlock.POINT_AT_MILLIS, HistoryBlock.VALUES, HistoryBlock.POINT_BYTES})
                .containsExactly(0, 8, 200);
        assertThat(new long[]{HistoryBlock.SEQUENCE, HistoryBlock.EVENT_AT_MILLIS, HistoryBlock.KIND,
            HistoryBlock.SUBJECT, HistoryBlock.TEXT_BYTES, HistoryBlock.TEXT, HistoryBlock.EVENT_BYTES})
                .containsExactly(0, 8, 16, 24, 32, 40, 128);
    }

    @Test
    void ringsBeginAnewAtTheirEnds() {
        HistoryBlock block = new HistoryBlock(3, 2, 2);
        int first = 320 + 128;
        assertThat(block.point(0)).isEqualTo(first);
        assertThat(block.point(5)).isEqualTo(first + 2 * 200);
        assertThat(block.event(0)).isEqualTo(first + 3 * 200);
        assertThat(block.event(3)).isEqualTo(first + 3 * 200 + 128);
        assertThat(block.bytes()).isEqualTo(first + 3 * 200 + 2 * 128);
        assertThat(HistoryBlock.OF_RANKS.bytes()).as("what the documents say").isEqualTo(249_920);
    }

    @Test
    void theSeriesAndKindsArePartOfTheLayout() {
        assertThat(Series.values()).extracting(Series::key)
                .containsExactly("heap-used-bytes", "heap-object-bytes", "heap-pending-bytes", "retired-bytes",
                        "limbo-objects", "limbo-bytes", "freed-objects", "retired-objects", "epoch",
                        "oldest-pin-millis", "waits", "longest-wait-millis", "lock-acquisitions", "lock-waits",
                        "lock-waited-millis", "remote-reads", "remote-writes", "remote-atomics", "ranks-joined",
                        "repairs", "process-cpu-millis", "resident-bytes", "java-heap-bytes", "operations");
        assertThat(Event.Kind.values()).extracting(Event.Kind::name)
                .containsExactly("JOINED", "LOST", "REFUSED", "REPAIRED", "LOCK_RECOVERED", "STRANDED", "REMOVED",
                        "REJOINED", "VIEW", "GROWN", "MOVED", "PROMISE_BROKEN");
    }

    @Test
    void aTextIsCutOffBetweenTwoCharacters() {
        assertThat(Words.fitting("aé€", 6)).hasSize(6);
        assertThat(Words.fitting("aé€", 5)).hasSize(3);
        assertThat(Words.fitting("a😀", 4)).hasSize(1);
        assertThat(Words.fitting("orders", ": grown", 40)).isEqualTo("orders: grown");
        assertThat(Words.fitting("orders€".repeat(4), ": grown", 33)).as("the name gives way")
                .isEqualTo("orders€orders€orders: grown");
        assertThat(Words.fitting("orders", ": grown", 7)).as("but its beginning stays").isEqualTo("orders: grown");
        assertThat(Words.text(new long[]{0x6362_61L}, 0, 3, 8)).isEqualTo("abc");
        assertThat(Words.text(new long[]{0x6362_61L}, 0, Long.MAX_VALUE, 8)).hasSize(8);
        assertThat(Words.text(new long[]{0x6362_61L}, 0, -1, 8)).isEmpty();
    }
}
