package io.atoll.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.GlobalPointer;
import io.atoll.node.LinkedTrial;
import io.atoll.node.Nodes;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Last in, first out, whoever pauses and dies when; and what protects it from ABA. */
class LinkedStackSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 300;
    private static final int BREAKS = 4;

    private static SimOptions pausing(Guarantees guarantees) {
        return LinkedTrial.options(guarantees).pauses(0.01);
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

    private static LinkedTrial trial(long seed, SimOptions options) {
        return new LinkedTrial(seed, options, 0, (self, host, block, nodes, epochs) -> client(
                new TreiberStack<>(first(self, host, block), nodes, epochs)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatIsPushedLastIsPoppedFirst(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> trial(seed, pausing(guarantees)).run(LinkedTrial.order(true)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatABrokenConnectionLeavesOpenHappensOnceOrNever(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS);
        Seeds.each(SEEDS, seed -> trial(seed, options).breaks(BREAKS).run(LinkedTrial.order(true)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whileTheHostIsOutOfReachNothingHappens(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).longestPause(Duration.ofMillis(20))
                .kills(0.003, 1, 2)
                .zombies()
                .segmentsDieWithRanks();
        Seeds.each(SEEDS, seed -> trial(seed, options).run(LinkedTrial.order(true)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepLoseNothingThatWasPushed(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.003, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> trial(seed, dying).run(LinkedTrial.order(true)));
    }

    // --- ABA: nodes are used again at once, as if there were no epochs ---

    /** What is popped by this process it pushes again, next. */
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
        SimOptions options = LinkedTrial.options(SimOptions.NETWORK_CARD).pauses(0.02);
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
        Seeds.each(1_000, recycling(true));
    }
}
