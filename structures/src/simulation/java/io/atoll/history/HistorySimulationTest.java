package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.CountedOperations;
import io.atoll.world.NamedStructure;
import io.atoll.world.Operations;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Whoever reads a history gets what its rank has written, whole and in order, whoever pauses and dies when. */
@Tag("simulation")
class HistorySimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 150;
    private static final HistoryBlock BLOCK = new HistoryBlock(3, 2, 2);
    private static final long WORD = 64;
    private static final long AT = 128;
    private static final long SEGMENT_BYTES = 4 << 10;
    private static final int WRITER = 0;
    private static final int ROUNDS = 10;
    private static final int READINGS = 30;
    private static final int SERIES = Series.values().length;
    private static final long OF_INCARNATION = 1_000;

    /** Faults of a writer's memory, and of a reader's source. */
    private record Mistake(UnaryOperator<LocalMemory> writing, UnaryOperator<HistoryReader.Source> reading) {}

    private static final Mistake NONE = new Mistake(memory -> memory, source -> source);

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(2).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).pauses(0.01);
    }

    private static long run(long seed, SimOptions options, Mistake mistake) {
        long[] read = new long[1];
        Simulation simulation = new Simulation(seed, options);
        simulation.onDeath(rank -> write(rank, mistake)).run(rank -> {
            if (rank.rank() == WRITER) {
                write(rank, mistake);
            } else {
                read[0] = read(rank, mistake);
            }
        });
        return read[0];
    }

    private static void write(SimRank rank, Mistake mistake) {
        LocalMemory own = mistake.writing().apply(rank.fabric().local());
        HistoryWriter writer = HistoryWriter.isBegun(BLOCK, own, AT)
                ? HistoryWriter.goOn(BLOCK, own, AT)
                : HistoryWriter.begin(BLOCK, own, AT, rank.incarnation());
        own.setRelease(WORD, AT);
        int incarnation = rank.incarnation();
        writer.identify(
                new RankHistory.Identity("host" + incarnation, incarnation, "version" + incarnation, incarnation));
        Operations operations = new Operations();
        OperationStats figures = new OperationStats(BLOCK.structures());
        long[] values = new long[SERIES];
        for (int round = 0; round < ROUNDS; round++) {
            long number = own.getAcquire(AT + HistoryBlock.POINT_COUNT);
            long at = number * OF_INCARNATION + incarnation;
            for (int series = 0; series < SERIES; series++) {
                values[series] = at + (long) series * OF_INCARNATION * OF_INCARNATION;
            }
            CountedOperations.add(operations, "first", 1);
            CountedOperations.add(operations, "second", 2);
            figures.look(operations, at);
            writer.operations(figures);
            writer.point(at, values);
            if (round % 2 == 0) {
                String text = at + " " + "x".repeat((int) (at % 80));
                writer.event(at, Event.Kind.JOINED, (int) at, text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** Returns the number of points that were read. */
    private static long read(SimRank rank, Mistake mistake) {
        HistoryReader fresh = new HistoryReader(BLOCK);
        HistoryReader remembering = new HistoryReader(BLOCK);
        long points = 0;
        for (int round = 0; round < READINGS; round++) {
            HistoryReader.Source source = mistake.reading().apply(source(rank));
            HistoryReader reader = round % 2 == 0 ? remembering : fresh;
            points += reader.read(WRITER, RankHistory.Origin.LIVE, source, WORD, SEGMENT_BYTES, Long.MAX_VALUE)
                    .map(HistorySimulationTest::check)
                    .orElse(0);
        }
        return points;
    }

    private static HistoryReader.Source source(SimRank rank) {
        return (offset, words, first, count) -> {
            rank.endpoint()
                    .read(WRITER, offset, MemorySegment.ofArray(words), first * Layouts.WORD, count * Layouts.WORD);
            return true;
        };
    }

    private static int check(RankHistory history) {
        long incarnation = history.identity().pid();
        if (!history.identity().equals(RankHistory.Identity.UNKNOWN)) {
            assertThat(history.identity()).isEqualTo(
                    new RankHistory.Identity("host" + incarnation, incarnation, "version" + incarnation, incarnation));
        }
        assertThat(history.points()).hasSizeLessThan(BLOCK.points());
        assertThat(history.events()).hasSizeLessThan(BLOCK.events());
        long before = -1;
        for (RankHistory.Point point : history.points()) {
            for (int series = 0; series < SERIES; series++) {
                assertThat(point.values()[series]).as("of one point")
                        .isEqualTo(point.atMillis() + series * OF_INCARNATION * OF_INCARNATION);
            }
            assertThat(point.atMillis() / OF_INCARNATION).as("after the one before").isGreaterThan(before);
            before = point.atMillis() / OF_INCARNATION;
        }
        for (Event event : history.events()) {
            assertThat(event.subject()).isEqualTo((int) event.atMillis());
            assertThat(event.text()).isEqualTo(event.atMillis() + " " + "x".repeat((int) (event.atMillis() % 80)));
        }
        checkOperations(history.operations());
        return history.points().size();
    }

    /** Checks that the second structure has twice as many operations as the first, in the same number of rounds. */
    private static void checkOperations(RankHistory.Operations operations) {
        if (operations.atMillis() == 0) {
            assertThat(operations).isEqualTo(RankHistory.Operations.NONE);
            return;
        }
        assertThat(operations.listed()).extracting(RankHistory.Operations.Listed::nameHash)
                .containsExactly(NamedStructure.hash("second"), NamedStructure.hash("first"));
        RankHistory.Operations.Counts second = operations.listed().getFirst().counts();
        RankHistory.Operations.Counts first = operations.listed().getLast().counts();
        assertThat(second.total()).isEqualTo(2 * first.total());
        assertThat(second.lately()).isEqualTo(2 * first.lately());
        assertThat(first.total()).as("one a round").isBetween(1L, (long) ROUNDS);
        assertThat(operations.intervalMillis()).as("since the round before")
                .isEqualTo(first.total() == 1 ? 0 : OF_INCARNATION);
        assertThat(operations.others().total()).isZero();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatIsReadIsWhole(Guarantees guarantees) {
        assertManyAreRead(seed -> run(seed, options(guarantees), NONE));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void alsoWhenTheWriterDiesAtAnyStepAndGoesOn(Guarantees guarantees) {
        assertManyAreRead(
                seed -> run(seed, options(guarantees).killAt(WRITER, (int) (1 + 3 * seed % 400)), NONE));
    }

    /** The next process writes as a restarted one does, and dies for good. */
    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whereverTheNextProcessDiesThePointsOfTheOneBeforeAreRead(Guarantees guarantees) {
        int unidentified = 0;
        boolean[] isNext = {false};
        boolean[] isDone = {false};
        for (int step = 1; !isDone[0]; step++) {
            isNext[0] = false;
            Simulation simulation = new Simulation(step, options(guarantees).killAt(WRITER, step));
            simulation.run(rank -> {
                if (rank.rank() == WRITER) {
                    write(rank, NONE);
                    isNext[0] = true;
                    write(rank, NONE);
                    isDone[0] = true;
                }
            });
            if (isNext[0]) {
                RankHistory read = new HistoryReader(BLOCK)
                        .read(WRITER, RankHistory.Origin.LIVE, source(simulation.rank(1)), WORD, SEGMENT_BYTES,
                                Long.MAX_VALUE)
                        .orElseThrow(() -> new AssertionError("nothing is read: " + simulation.report()));
                assertThat(check(read)).as("points, step %s", step).isEqualTo(BLOCK.points() - 1);
                unidentified += read.identity().equals(RankHistory.Identity.UNKNOWN) ? 1 : 0;
            }
        }
        assertThat(unidentified).as("deaths over an identity").isPositive();
    }

    /** Checks that there are more points than seeds, however many seeds are tried. */
    private static void assertManyAreRead(LongUnaryOperator trial) {
        long[] points = new long[1];
        long[] trials = new long[1];
        Seeds.each(SEEDS, seed -> {
            points[0] += trial.applyAsLong(seed);
            trials[0]++;
        });
        Seeds.together(() -> assertThat(points[0]).as("points that were read").isGreaterThan(trials[0]));
    }

    // The following faults must be noticed.

    private static int seedsUntilFailure(Mistake mistake) {
        return Seeds.untilFailure(2_000, seed -> run(seed,
                options(EVERY_FABRIC.get((int) (seed % EVERY_FABRIC.size()))), mistake));
    }

    private static Mistake writing(Storing storing) {
        return new Mistake(memory -> Wrapper.around(memory, LocalMemory.class, call -> {
            if (call.isOf("setRelease")) {
                storing.store(memory, (long) call.arguments()[0], (long) call.arguments()[1]);
                return null;
            }
            return call.proceed();
        }), source -> source);
    }

    /** Replaces a store. */
    @FunctionalInterface
    private interface Storing {
        void store(LocalMemory memory, long offset, long value);
    }

    @Test
    void aCountThatIsStoredBeforeItsPointIsNoticed() {
        assertThat(seedsUntilFailure(writing((memory, offset, value) -> {
            if ((offset - AT - BLOCK.firstPoint()) % HistoryBlock.POINT_BYTES == 0
                    && offset - AT >= BLOCK.firstPoint() && offset - AT < BLOCK.event(0)) {
                long count = memory.getAcquire(AT + HistoryBlock.POINT_COUNT);
                memory.setRelease(AT + HistoryBlock.POINT_COUNT, count + 1);
            }
            memory.setRelease(offset, value);
        }))).isPositive();
    }

    @Test
    void operationsWhoseCountIsNotOddMeanwhileAreNoticed() {
        assertThat(seedsUntilFailure(writing((memory, offset, value) -> memory.setRelease(offset,
                offset == AT + HistoryBlock.OPERATION_COUNT ? value & -2 : value)))).isPositive();
    }

    @Test
    void countsAndPointsThatAreStoredPlainlyAreNoticed() {
        assertThat(seedsUntilFailure(writing(LocalMemory::set))).isPositive();
    }

    @Test
    void countsThatAreNotReadAgainAreNoticed() {
        assertThat(seedsUntilFailure(new Mistake(memory -> memory, source -> new HistoryReader.Source() {

            private long[] head = new long[0];

            @Override
            public boolean read(long offset, long[] words, int first, int count) {
                if (offset == AT + HistoryBlock.COUNTS && head.length > 0) {
                    System.arraycopy(head, (int) (HistoryBlock.COUNTS / Layouts.WORD), words, first, count);
                    return true;
                }
                boolean isRead = source.read(offset, words, first, count);
                head = offset == AT ? words.clone() : head;
                return isRead;
            }
        }))).isPositive();
    }
}
