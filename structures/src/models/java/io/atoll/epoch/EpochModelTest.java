package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Exploration.Outcome;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.History.Call;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs the protocol of {@link GlobalEpoch}, {@link WorldToken} and {@link LimboLists} step by step. It covers every
 * order in which the steps of a reader, a retirer, advancers and a freer can come. Each step is atomic;
 * {@link EpochSimulationTest} covers what a processor and a fabric do beyond that.
 */
@Tag("models")
class EpochModelTest {

    private static final int EPOCH = 0;
    private static final int CACHE = 1;
    private static final int RETIRER = 2; // announcements
    private static final int READER = 3;
    private static final int LINKED = 4;
    private static final int FREED = 5;
    private static final int LIMBO = 6; // three words: the epoch of the bag + 1, 0 if there is none
    private static final int FENCED = 9;
    private static final int LAGGING_CACHE = 10; // of a rank that no advancer has come to yet
    private static final int WORDS = 11;

    private static final long FIRST = 4;
    private static final String USE = "use";

    private static long read(Fabric fabric, int word) {
        return fabric.readWord(0, word * 8L);
    }

    private static void write(Fabric fabric, int word, long value) {
        fabric.writeWord(0, word * 8L, value);
    }

    private static boolean exchange(Fabric fabric, int word, long expected, long value) {
        return fabric.compareAndExchange(0, word * 8L, expected, value) == expected;
    }

    // --- what each process does, and what can be wrong about it ---

    private enum Pin {
        BEFORE_THE_FIRST_LOAD, AFTER_THE_FIRST_LOAD, GIVEN_UP_BEFORE_THE_LAST_WRITE
    }

    private static Program<String, Long> reader(Pin how) {
        return process -> () -> {
            Fabric fabric = process.fabric();
            long announcement = Announcement.pinned(read(fabric, CACHE), 1);
            if (how != Pin.AFTER_THE_FIRST_LOAD) {
                write(fabric, READER, announcement);
            }
            boolean found = read(fabric, LINKED) == 1;
            if (how == Pin.AFTER_THE_FIRST_LOAD) {
                write(fabric, READER, announcement);
            }
            if (found && how != Pin.GIVEN_UP_BEFORE_THE_LAST_WRITE) {
                process.call(USE, () -> read(fabric, FREED));
            }
            write(fabric, READER, Announcement.UNPINNED);
            if (found && how == Pin.GIVEN_UP_BEFORE_THE_LAST_WRITE) {
                process.call(USE, () -> read(fabric, FREED));
            }
        };
    }

    private enum Seal {
        WITH_THE_WORLDS_EPOCH, WITH_THE_CACHED_EPOCH, WITH_THE_TOKENS_EPOCH
    }

    private static Program<String, Long> retirer(Seal how) {
        return process -> () -> {
            Fabric fabric = process.fabric();
            int cache = how == Seal.WITH_THE_CACHED_EPOCH ? LAGGING_CACHE : CACHE;
            long pinned = read(fabric, cache);
            write(fabric, RETIRER, Announcement.pinned(pinned, 1));
            write(fabric, LINKED, 0);
            long epoch = switch (how) {
                case WITH_THE_WORLDS_EPOCH -> read(fabric, EPOCH);
                case WITH_THE_CACHED_EPOCH -> read(fabric, cache);
                case WITH_THE_TOKENS_EPOCH -> pinned;
            };
            write(fabric, LIMBO + EpochBlock.list(epoch), epoch + 1);
            write(fabric, RETIRER, Announcement.UNPINNED);
        };
    }

    private enum Advance {
        EPOCH_FIRST, TOKENS_FIRST, WITHOUT_TOKENS
    }

    /** @param ignored a token that does not count, because its rank is believed to be dead; 0 for none */
    private static Program<String, Long> advancer(Advance how, int rounds, int ignored) {
        return process -> () -> {
            for (int round = 0; round < rounds; round++) {
                advance(process.fabric(), how, ignored);
            }
        };
    }

    private static void advance(Fabric fabric, Advance how, int ignored) {
        long epoch = how == Advance.TOKENS_FIRST ? 0 : read(fabric, EPOCH);
        long retirer = ignored == RETIRER || how == Advance.WITHOUT_TOKENS ? 0 : read(fabric, RETIRER);
        long reader = ignored == READER || how == Advance.WITHOUT_TOKENS ? 0 : read(fabric, READER);
        if (how == Advance.TOKENS_FIRST) {
            epoch = read(fabric, EPOCH);
        }
        if (read(fabric, CACHE) < epoch) {
            write(fabric, CACHE, epoch);
        }
        boolean blocked = Announcement.blocks(retirer, epoch) || Announcement.blocks(reader, epoch);
        if (!blocked && exchange(fabric, EPOCH, epoch, epoch + 1)) {
            write(fabric, CACHE, epoch + 1);
        }
    }

    private enum Free {
        BY_THE_BAGS_EPOCH, BY_THE_NUMBER_OF_THE_LIST, ONE_EPOCH_EARLIER
    }

    private static Program<String, Long> freer(Free how) {
        return process -> () -> {
            Fabric fabric = process.fabric();
            long epoch = read(fabric, EPOCH);
            long old = how == Free.ONE_EPOCH_EARLIER ? epoch - 1 : epoch - 2;
            int list = LIMBO + EpochBlock.list(old);
            long bag = read(fabric, list);
            boolean isOld = how == Free.BY_THE_NUMBER_OF_THE_LIST || bag - 1 <= old;
            if (bag != 0 && isOld && exchange(fabric, list, bag, 0)) {
                write(fabric, FREED, 1);
            }
        };
    }

    /** @param lag of the cached epoch at first */
    private static Exploration<String, Long> world(long lag) {
        return new Exploration<String, Long>(WORDS).before(process -> () -> {
            write(process.fabric(), EPOCH, FIRST);
            write(process.fabric(), CACHE, FIRST - lag);
            write(process.fabric(), LAGGING_CACHE, FIRST - lag);
            write(process.fabric(), LINKED, 1);
        });
    }

    private static boolean isSafe(List<Call<String, Long>> calls) {
        return calls.stream().allMatch(call -> call.isPending() || call.result() == 0);
    }

    private static void assertSafe(Exploration<String, Long> exploration) {
        Outcome<String, Long> outcome = exploration.explore(EpochModelTest::isSafe);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.states()).as("states").isGreaterThan(1_000);
    }

    private static void assertUnsafe(Exploration<String, Long> exploration) {
        assertThat(exploration.explore(EpochModelTest::isSafe).counterexample()).as("use after free").isNotNull();
    }

    private static Exploration<String, Long> as(Pin pin, Seal seal, Advance advance, Free free) {
        return world(0).process(reader(pin))
                .process(retirer(seal))
                .process(advancer(advance, 3, 0))
                .process(freer(free));
    }

    private static final Program<String, Long> NO_REPAIR = process -> () -> {};

    @Test
    void nothingIsFreedThatSomebodyUses() {
        assertSafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_WORLDS_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void norWhereACacheLags() {
        assertSafe(world(1).process(reader(Pin.BEFORE_THE_FIRST_LOAD))
                .process(retirer(Seal.WITH_THE_WORLDS_EPOCH))
                .process(advancer(Advance.EPOCH_FIRST, 3, 0))
                .process(freer(Free.BY_THE_BAGS_EPOCH)));
    }

    @Test
    void norWhereAnAdvancerDiesAtAnyStepAndAnotherGoesOn() {
        assertSafe(world(0).process(reader(Pin.BEFORE_THE_FIRST_LOAD))
                .process(retirer(Seal.WITH_THE_WORLDS_EPOCH))
                .mortal(advancer(Advance.EPOCH_FIRST, 1, 0), NO_REPAIR)
                .process(process -> {
                    Runnable advances = advancer(Advance.EPOCH_FIRST, 1, 0).of(process);
                    Runnable frees = freer(Free.BY_THE_BAGS_EPOCH).of(process);
                    return () -> {
                        advances.run();
                        frees.run();
                    };
                }));
    }

    @Test
    void thePublishedRuleFreesTooEarly() {
        assertUnsafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_TOKENS_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void theCachedEpochIsNotEnough() {
        assertUnsafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_CACHED_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void aPinAfterTheFirstLoadIsTooLate() {
        assertUnsafe(as(Pin.AFTER_THE_FIRST_LOAD, Seal.WITH_THE_WORLDS_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void aWriteThatIsStillUnderWayAfterUnpinningIsTooLate() {
        assertUnsafe(as(Pin.GIVEN_UP_BEFORE_THE_LAST_WRITE, Seal.WITH_THE_WORLDS_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void tokensAreReadAfterTheEpoch() {
        assertUnsafe(world(0).process(reader(Pin.BEFORE_THE_FIRST_LOAD))
                .process(retirer(Seal.WITH_THE_WORLDS_EPOCH))
                .process(advancer(Advance.TOKENS_FIRST, 1, 0))
                .process(advancer(Advance.EPOCH_FIRST, 1, 0))
                .process(freer(Free.BY_THE_BAGS_EPOCH)));
    }

    @Test
    void tokensAreRead() {
        assertUnsafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_WORLDS_EPOCH, Advance.WITHOUT_TOKENS,
                Free.BY_THE_BAGS_EPOCH));
    }

    @Test
    void oneEpochIsNotEnough() {
        assertUnsafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_WORLDS_EPOCH, Advance.EPOCH_FIRST,
                Free.ONE_EPOCH_EARLIER));
    }

    @Test
    void theNumberOfAListIsNotItsBagsEpoch() {
        assertUnsafe(as(Pin.BEFORE_THE_FIRST_LOAD, Seal.WITH_THE_WORLDS_EPOCH, Advance.EPOCH_FIRST,
                Free.BY_THE_NUMBER_OF_THE_LIST));
    }

    // --- a rank that is believed to be dead, and lives ---

    /** Everything that it does is refused once it is fenced. */
    private static final Program<String, Long> ZOMBIE = process -> () -> {
        Fabric fabric = process.fabric();
        write(fabric, READER, Announcement.pinned(read(fabric, CACHE), 1));
        if (read(fabric, LINKED) == 1) {
            process.call(USE, () -> {
                long freed = read(fabric, FREED);
                return read(fabric, FENCED) == 1 ? 0 : freed;
            });
        }
    };

    private static Exploration<String, Long> believedToBeDead(boolean fencesFirst) {
        return world(0).process(ZOMBIE)
                .process(retirer(Seal.WITH_THE_WORLDS_EPOCH))
                .process(process -> {
                    Runnable advances = advancer(Advance.EPOCH_FIRST, 2, READER).of(process);
                    Runnable frees = freer(Free.BY_THE_BAGS_EPOCH).of(process);
                    return () -> {
                        if (fencesFirst) {
                            write(process.fabric(), FENCED, 1);
                        }
                        advances.run();
                        frees.run();
                    };
                });
    }

    @Test
    void theTokenOfAFencedRankNeedNotCount() {
        assertSafe(believedToBeDead(true));
    }

    @Test
    void theTokenOfARankThatIsNotFencedYetDoes() {
        assertUnsafe(believedToBeDead(false));
    }
}
