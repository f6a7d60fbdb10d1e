package io.atoll.queue;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.node.LinkedTrial;
import io.atoll.node.Nodes;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** First in, first out, whoever pauses and dies when. */
class LinkedQueueSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 300;
    private static final int BREAKS = 4;
    private static final int FIRST_NODE = 1;

    /** Makes a queue, right or wrong. */
    private interface Maker {
        MichaelScottQueue<Long> make(Participant self, int host, long block, Nodes<Long> nodes, EpochManager epochs);
    }

    private static SimOptions pausing(Guarantees guarantees) {
        return LinkedTrial.options(guarantees).pauses(0.01);
    }

    private static LinkedTrial trial(long seed, SimOptions options, Maker maker) {
        return new LinkedTrial(seed, options, FIRST_NODE, (self, host, block, nodes, epochs) -> {
            MichaelScottQueue<Long> queue = maker.make(self, host, block, nodes, epochs);
            queue.begin();
            return client(queue);
        });
    }

    private static LinkedTrial trial(long seed, SimOptions options) {
        return trial(seed, options, (self, host, block, nodes, epochs) -> new MichaelScottQueue<>(self.endpoint(), host,
                block, nodes, epochs));
    }

    private static LinkedTrial.Client client(MichaelScottQueue<Long> queue) {
        return new LinkedTrial.Client() {

            @Override
            public void push(Token token, long value) {
                queue.push(token, value);
            }

            @Override
            public @Nullable Long pop(Token token) {
                return queue.pop(token);
            }
        };
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatIsPushedFirstIsPoppedFirst(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> trial(seed, pausing(guarantees)).run(LinkedTrial.order(false)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatABrokenConnectionLeavesOpenHappensOnceOrNever(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS);
        Seeds.each(SEEDS, seed -> trial(seed, options).breaks(BREAKS).run(LinkedTrial.order(false)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whileTheHostIsOutOfReachNothingHappens(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).longestPause(Duration.ofMillis(20))
                .kills(0.003, 1, 2)
                .zombies()
                .segmentsDieWithRanks();
        Seeds.each(SEEDS, seed -> trial(seed, options).run(LinkedTrial.order(false)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepLoseNothingThatWasPushed(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.003, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> trial(seed, dying).run(LinkedTrial.order(false)));
    }
}
