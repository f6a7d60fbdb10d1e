package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.Patch;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Owners look for few entries that are put together, and a batch tells that one of the owners cannot be reached. */
class FewEntriesLossTest {

    private static final int RANKS = 3;
    private static final int NEAR = 1;
    private static final int AWAY = 2;

    private final Simulation simulation = new Simulation(1,
            SimOptions.ranks(RANKS).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped());
    private final LosingFabric fabric = new LosingFabric(simulation.fabric(0), AWAY);
    private final DistributedMap<Long, Long> map = open(fabric);
    private final DistributedMap<Long, Long> others = open(simulation.fabric(NEAR));
    private final List<Long> keys = LongStream.range(0, 100)
            .boxed()
            .filter(key -> map.owner(key) != 0)
            .limit(12)
            .toList();
    private final long near = keys.stream().filter(key -> map.owner(key) == NEAR).findFirst().orElseThrow();

    private static DistributedMap<Long, Long> open(Fabric fabric) {
        Participant self = Participants.amongTheLiving(fabric);
        EpochManager epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        return DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs).capacity(1_000).open();
    }

    private void putAll(long value) {
        map.putAll(keys.stream().collect(Collectors.toMap(key -> key, _ -> value)));
    }

    /** If they are not put at all, keys are new then. If they are put twice, owners look for the next ones. */
    private void putOnes(int times) {
        for (int time = 0; time < times; time++) {
            putAll(1);
        }
    }

    private RankUnreachableException lossOfPuttingTwos() {
        map.getAll(Set.copyOf(keys)); // finds the blocks
        fabric.loses = true;
        return catchThrowableOfType(RankUnreachableException.class, () -> putAll(2));
    }

    @Test
    void whatAnOwnerHasStoredIsNotStoredAgainWhenAnotherOneIsLost() {
        putOnes(2);
        fabric.meanwhile = () -> others.put(near, 9L); // when it is stored, and the caller is not told yet
        assertThat(lossOfPuttingTwos().rank()).isEqualTo(AWAY);
        assertThat(map.get(near)).isEqualTo(9);
    }

    @Test
    void anOwnerWhoseAnswersAreLostWithTheOtherOneIsLostToo() {
        putOnes(2);
        fabric.answers = false;
        assertThat(lossOfPuttingTwos().getSuppressed()).singleElement()
                .isInstanceOfSatisfying(RankUnreachableException.class,
                        failure -> assertThat(failure.rank()).isEqualTo(NEAR));
        assertThat(map.get(near)).isEqualTo(2);
    }

    /** The owner has reserved the buckets, and lost the connection before it published them. */
    @Test
    void whatIsReservedAndNotPublishedGoesRoundAgain() {
        putOnes(2);
        fabric.adds = false;
        fabric.meanwhile = () -> fabric.adds = true;
        assertThat(lossOfPuttingTwos().rank()).isEqualTo(AWAY);
        assertThat(map.get(near)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void allIsStoredWhenTheOwnerIsBack(int times) {
        putOnes(times);
        lossOfPuttingTwos();
        putAll(3);
        assertThat(map.getAll(Set.copyOf(keys)).values()).hasSize(keys.size()).containsOnly(3L);
    }

    // --- mistakes ---

    private static final class LostAnswers implements Runnable {

        @Override
        public void run() {
            new FewEntriesLossTest().anOwnerWhoseAnswersAreLostWithTheOtherOneIsLostToo();
        }
    }

    private static final class LostAdditions implements Runnable {

        @Override
        public void run() {
            new FewEntriesLossTest().whatIsReservedAndNotPublishedGoesRoundAgain();
        }
    }

    private static void assertIsFound(Class<? extends Runnable> program, String text, String instead) {
        assertThatThrownBy(() -> new Patch(PutRounds.class).replace(text, instead).run(program))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void anEntryInDoubtThatCountsAsMissingIsFound() {
        assertIsFound(LostAnswers.class, " || undone == Undone.BEFORE && !isAnswered) {", ") {");
    }

    @Test
    void anEntryThatIsUndoneAndCountsAsStoredIsFound() {
        assertIsFound(LostAdditions.class, "if (undone != Undone.BEFORE || !isReplaced(batch, key)) {",
                "if (!isReplaced(batch, key)) {");
    }
}
