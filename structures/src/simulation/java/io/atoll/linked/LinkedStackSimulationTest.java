package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Simulates a linked stack: last in, first out. Also shows what protects it from ABA. */
@Tag("simulation")
class LinkedStackSimulationTest extends LinkedSimulation {

    LinkedStackSimulationTest() {
        super(true);
    }

    private static LinkedTrial.Client client(TreiberStack<Long> stack) {
        return new LinkedTrial.Client() {

            @Override
            public void push(Token token, long value) {
                stack.push(value);
            }

            @Override
            public @Nullable Long pop(Token token) {
                return stack.pop(token);
            }
        };
    }

    private static AtomicObject<GlobalPointer> first(Participant self, int host, long block) {
        return AtomicObject.abaProtected(self.endpoint(), host, block, ObjectType.POINTER);
    }

    @Override
    protected LinkedTrial trial(long seed, SimOptions options) {
        return new LinkedTrial(seed, options, 0, (self, host, block, nodes, epochs) -> client(
                new TreiberStack<>(first(self, host, block), nodes, epochs)));
    }

    private static final class OverTcp implements Runnable {

        @Override
        public void run() {
            var test = new LinkedStackSimulationTest();
            SimOptions options = LinkedTrial.options(SimOptions.TCP).pauses(0.02).maximumSteps(100_000);
            assertThat(Seeds.untilFailure(1_000,
                    seed -> test.trial(seed, options).run(LinkedTrial.order(true)))).isPositive();
        }
    }

    @Test
    void aNodeThatCountsThoughItIsNotOnTopIsFound() {
        new Patch(TreiberStack.class)
                .replace("return guess.equals(top.object()) ? new", "return top.object() != null ? new")
                .run(OverTcp.class);
    }

    // --- ABA: nodes are used again at once, as if there were no epochs ---

    /** A stack whose process pushes each popped node again, as its next push. */
    private static final class Recycling extends TreiberStack<Long> {

        private final Participant self;
        private final boolean counts;
        private final Deque<GlobalPointer> popped = new ArrayDeque<>();

        Recycling(Participant self, AtomicObject<GlobalPointer> first, Nodes<Long> nodes, EpochManager epochs,
                boolean counts) {
            super(first, nodes, epochs);
            this.self = self;
            this.counts = counts;
        }

        @Override
        GlobalPointer create(Long value, long link) {
            GlobalPointer node = popped.poll();
            if (node == null) {
                return super.create(value, link);
            }
            self.endpoint().writeWord(node.rank(), node.offset() + Nodes.LINK, link);
            self.endpoint().writeWord(node.rank(), node.offset() + Nodes.VALUE, value);
            return node;
        }

        @Override
        void dispose(Token token, GlobalPointer node) {
            popped.push(node);
        }

        @Override
        boolean swing(Aba<GlobalPointer> top, @Nullable GlobalPointer node) {
            return counts ? super.swing(top, node) : first.compareAndSwap(top.object(), node);
        }
    }

    private static Seeds.Trial recycling(boolean counts) {
        return recycling(SimOptions.NETWORK_CARD, counts);
    }

    private static Seeds.Trial recycling(Guarantees guarantees, boolean counts) {
        SimOptions options = LinkedTrial.options(guarantees).pauses(0.02);
        return seed -> new LinkedTrial(seed, options, 0, (self, host, block, nodes, epochs) -> client(
                new Recycling(self, first(self, host, block), nodes, epochs, counts)))
                .operations(16)
                .runWithoutLookingBack(LinkedTrial.order(true));
    }

    @Test
    void anObjectThatWasAwayAndIsBackTearsAStackOfPlainOperations() {
        assertThat(Seeds.untilFailure(1_000, recycling(false))).isPositive();
    }

    @Test
    void andNotOneOfAbaOperations() {
        for (Guarantees guarantees : LinkedTrial.FABRICS) {
            Seeds.each(1_000, recycling(guarantees, true));
        }
    }

    private static final class RecyclingOverTcp implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(1_000, recycling(SimOptions.TCP, true))).isPositive();
        }
    }

    /** What is read of the node first may be of its former use. */
    @Test
    void aNodeThatIsReadBeforeItIsSeenOnTopIsFound() {
        String look = "        first.read(batch, 0); // (1)\n";
        String read = "        nodes.read(batch, guess, Layouts.WORD);\n";
        new Patch(TreiberStack.class).replace(look, "").replace(read, read + look).run(RecyclingOverTcp.class);
    }
}
