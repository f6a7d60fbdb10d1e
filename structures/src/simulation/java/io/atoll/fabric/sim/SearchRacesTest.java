package io.atoll.fabric.sim;

import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.WordTest;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The simulation shows what others do while a search looks, and between it and what it guards. */
@Tag("simulation")
class SearchRacesTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RIGHT = 1_000; // seeds that a right protocol passes
    private static final int WRONG = 300; // seeds within which a mistake shows

    private static final long TABLE = 128; // two records of a key and a count
    private static final long KEY = 7;
    private static final long COUNT = 8;
    private static final long RECORD = 16;

    /** Adds one to the count of a key. */
    private interface Adder {
        /** Returns true if it was added. */
        boolean add(Batch batch);
    }

    private static int search(Batch batch) {
        WordTest.put(batch, 0, COUNT, -1, 0, 100);
        WordTest.putEqual(batch, WordTest.BYTES, 0, KEY);
        return batch.search(0, TABLE, RECORD, 2, 0, 2);
    }

    private static boolean addToWhatWasFound(Batch batch) {
        int found = search(batch);
        batch.guard(found);
        int exchange = batch.exchangeFound(0, TABLE + COUNT, -1, 1);
        batch.complete();
        return batch.succeeded(exchange);
    }

    private static boolean writeOverWhatWasFound(Batch batch) {
        int found = search(batch);
        batch.guard(found);
        batch.complete();
        batch.writeWord(0, TABLE + COUNT + batch.displacement(found), batch.result(found) + 1);
        batch.complete();
        return batch.succeeded(found);
    }

    /** Each of three ranks adds three times. The count is that of the additions that took place. */
    private static Seeds.Trial counting(Guarantees guarantees, Adder adder) {
        return seed -> {
            long[] added = new long[3];
            var simulation = new Simulation(seed, SimOptions.ranks(3).guarantees(guarantees).pauses(0.01));
            simulation.run(rank -> {
                if (rank.rank() == 0) {
                    rank.fabric().writeWord(0, TABLE + RECORD, KEY);
                    rank.fabric().flush(0);
                }
                for (int round = 0; round < 3; round++) {
                    added[rank.rank()] += adder.add(rank.fabric().batch()) ? 1 : 0;
                }
            });
            simulation.run(rank -> {
                if (rank.rank() == 0) {
                    assertThat(rank.fabric().readWord(0, TABLE + RECORD + COUNT))
                            .isEqualTo(added[0] + added[1] + added[2]);
                }
            });
        };
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anAdditionToWhatWasFoundCountsAndAWriteOverItLosesCounts(Guarantees guarantees) {
        Seeds.each(RIGHT, counting(guarantees, SearchRacesTest::addToWhatWasFound));
        assertThat(Seeds.untilFailure(WRONG, counting(guarantees, SearchRacesTest::writeOverWhatWasFound)))
                .isPositive();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void othersChangeAWordBetweenASearchAndTheExchangeOfIt(Guarantees guarantees) {
        assertThat(Seeds.untilFailure(WRONG, counting(guarantees, batch -> {
            int found = search(batch);
            batch.guard(found);
            int exchange = batch.exchangeFound(0, TABLE + COUNT, -1, 1);
            batch.complete();
            assertThat(batch.succeeded(exchange)).isEqualTo(batch.succeeded(found));
            return batch.succeeded(exchange);
        }))).isPositive();
    }

    /** A rank writes the data and then a state that says so. */
    private static Seeds.Trial finding(long first, long firstWord, long second, long secondWord) {
        return seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(SHARED_MEMORY).pauses(0.01), rank -> {
            Batch batch = rank.fabric().batch();
            if (rank.rank() == 1) {
                batch.writeWord(0, TABLE + COUNT, 1);
                batch.writeWord(0, TABLE, 1);
                batch.complete();
            } else {
                WordTest.putEqual(batch, 0, first, firstWord);
                WordTest.putEqual(batch, WordTest.BYTES, second, secondWord);
                int found = batch.search(0, TABLE, RECORD, 1, 0, 2);
                batch.complete();
                assertThat(batch.succeeded(found)).as("the state of the data to come").isFalse();
            }
        });
    }

    @Test
    void anOwnerLoadsTheWordsOfARecordInTheOrderOfTheirTests() {
        Seeds.each(RIGHT, finding(0, 1, COUNT, 0)); // first the state, then the data
        assertThat(Seeds.untilFailure(WRONG, finding(COUNT, 0, 0, 1))).isPositive();
    }
}
