package io.atoll.linked;

import io.atoll.epoch.Token;
import io.atoll.fabric.sim.SimOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

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
            var queue = new MichaelScottQueue<>(self.endpoint(), host, block, nodes, epochs);
            queue.begin();
            return client(queue);
        });
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
