package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.epoch.Token;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Simulates a linked queue: first in, first out. */
@Tag("simulation")
class LinkedQueueSimulationTest extends LinkedSimulation {

    private static final int FIRST_NODE = 1;

    LinkedQueueSimulationTest() {
        super(false);
    }

    @Override
    protected LinkedTrial trial(long seed, SimOptions options) {
        return new LinkedTrial(seed, options, FIRST_NODE, (self, host, block, nodes, epochs) -> {
            return client(new MichaelScottQueue<>(self.endpoint(), host, block, nodes, epochs));
        });
    }

    // --- mistakes ---

    private static final class OverTcp implements Runnable {

        @Override
        public void run() {
            var test = new LinkedQueueSimulationTest();
            SimOptions options = LinkedTrial.options(SimOptions.TCP).pauses(0.02).maximumSteps(100_000);
            assertThat(Seeds.untilFailure(1_000,
                    seed -> test.trial(seed, options).operations(16).run(LinkedTrial.order(false)))).isPositive();
        }
    }

    @Test
    void aTailThatIsMovedToANodeThatIsNotLinkedIsFound() {
        new Patch(MichaelScottQueue.class)
                .replace("            batch.guard(linked);\n", "            batch.unguard();\n")
                .run(OverTcp.class);
    }

    @Test
    void aLinkThatCountsThoughItsNodeIsNotTheHeadIsFound() {
        new Patch(MichaelScottQueue.class).replace("return guess.equals(first.object())\n", "return true\n")
                .run(OverTcp.class);
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
}
