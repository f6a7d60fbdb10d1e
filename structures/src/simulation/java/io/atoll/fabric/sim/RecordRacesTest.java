package io.atoll.fabric.sim;

import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.GuardedBatch;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulation shows what others do while records are read, and nothing that the fabric excludes. */
@Tag("simulation")
class RecordRacesTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RIGHT = 1_000; // seeds that a right protocol passes
    private static final int WRONG = 300; // seeds within which a mistake shows

    private static final long RECORDS = 128; // two of a version and two words
    private static final long STRIDE = 24;
    private static final long BEHIND = STRIDE + 8; // from one record to the next, as they arrive

    /** Reads what was read of a record. */
    private interface Reader {
        /** Returns true if the record is taken for one that is as it was at one moment. */
        boolean accepts(Batch batch, long position);
    }

    private static boolean acceptsSteady(Batch batch, long position) {
        return batch.word(position) % 2 == 0 && batch.word(position) == batch.word(position + STRIDE);
    }

    /** A rank changes two records, each under a version that is odd meanwhile, and another one reads them. */
    private static Seeds.Trial reading(Guarantees guarantees, Reader reader) {
        return seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(guarantees).pauses(0.01), rank -> {
            Batch batch = rank.fabric().batch();
            for (long version = 2; version <= 6; version += 2) {
                if (rank.rank() == 1) {
                    change(batch, RECORDS, version);
                    change(batch, RECORDS + STRIDE, version);
                } else {
                    batch.readRecords(0, RECORDS, STRIDE, 2, 0);
                    batch.complete();
                    for (long position = 0; position < 2 * BEHIND; position += BEHIND) {
                        if (reader.accepts(batch, position)) {
                            assertThat(new long[]{batch.word(position + 8), batch.word(position + 16)})
                                    .containsOnly(batch.word(position));
                        }
                    }
                }
            }
        });
    }

    private static void change(Batch batch, long record, long version) {
        batch.writeWord(0, record, version - 1);
        batch.writeWord(0, record + 8, version);
        batch.writeWord(0, record + 16, version);
        batch.writeWord(0, record, version);
        batch.complete();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aRecordWhoseFirstWordsAreTheSameIsAsItWasAndOneOfThemIsNotEnough(Guarantees guarantees) {
        Seeds.each(RIGHT, reading(guarantees, RecordRacesTest::acceptsSteady));
        assertThat(Seeds.untilFailure(WRONG,
                reading(guarantees, (batch, position) -> batch.word(position) % 2 == 0))).isPositive();
        assertThat(Seeds.untilFailure(WRONG, reading(guarantees, (batch, position) -> {
            batch.setWord(position, batch.word(position + STRIDE));
            return batch.word(position) % 2 == 0;
        }))).isPositive();
    }

    /** Reads that overtake each other. */
    private static final class Overtaking implements Runnable {

        @Override
        public void run() {
            Seeds.each(WRONG, reading(SimOptions.WEAKEST, RecordRacesTest::acceptsSteady));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Layouts.WORD);\n        completeReads();\n", "        }\n        completeReads();\n"})
    void readsOfARecordThatOvertakeEachOtherAreFound(String text) {
        assertThatThrownBy(() -> new Patch(GuardedBatch.class)
                .replace(text, text.replace("completeReads();", ""))
                .run(Overtaking.class)).isInstanceOf(AssertionError.class);
    }

    /** The two records change one after the other, and arrive in any order. */
    @Test
    void recordsOfOneReadComeInAnyOrder() {
        for (int earlier = 0; earlier < 2; earlier++) {
            long first = RECORDS + earlier * STRIDE;
            long second = RECORDS + (1 - earlier) * STRIDE;
            long firstRead = earlier * BEHIND;
            long secondRead = (1 - earlier) * BEHIND;
            assertThat(Seeds.untilFailure(WRONG,
                    seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(SHARED_MEMORY), rank -> {
                        Batch batch = rank.fabric().batch();
                        if (rank.rank() == 1) {
                            batch.writeWord(0, first, 1);
                            batch.writeWord(0, second, 1);
                            batch.complete();
                        } else {
                            batch.readRecords(0, RECORDS, STRIDE, 2, 0);
                            batch.complete();
                            assertThat(batch.word(secondRead)).isLessThanOrEqualTo(batch.word(firstRead));
                        }
                    }))).isPositive();
        }
    }
}
