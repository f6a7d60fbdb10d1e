package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Process;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.History.Call;
import io.atoll.memory.Layouts;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs {@link Election} itself in every order in which its verbs can take effect: each is a step of its own. Proposers
 * may stop at any step. Electors may end or come back without their memory.
 */
@Tag("simulation")
class ElectionTest {

    private static final View VIEW = View.first(3, 16);
    private static final long NEXT = VIEW.number() + 1;
    private static final long UNUSED = ViewWord.spent(ViewWord.index(NEXT), VIEW.number()).toWord();

    /** Holds the word of each elector in the one memory of the exploration. */
    private static class ExploredElectors implements Electors {

        private final Process<String, ViewChange> process;
        private final Comparator<Integer> order;

        ExploredElectors(Process<String, ViewChange> process, boolean backwards) {
            this.process = process;
            this.order = backwards ? Comparator.reverseOrder() : Comparator.naturalOrder();
        }

        @Override
        public Map<Integer, Long> read(Collection<Integer> electors, long view) {
            Map<Integer, Long> words = new HashMap<>();
            electors.stream()
                    .sorted(order)
                    .forEach(elector -> words.put(elector, process.fabric().readWord(0, elector * Layouts.WORD)));
            return words;
        }

        @Override
        public Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long view) {
            Map<Integer, Long> found = new HashMap<>();
            exchanges.keySet()
                    .stream()
                    .sorted(order)
                    .forEach(elector -> found.put(elector, exchange(elector, exchanges.get(elector))));
            return found;
        }

        long exchange(int elector, Exchange exchange) {
            return process.fabric()
                    .compareAndExchange(0, elector * Layouts.WORD, exchange.expected(), exchange.value());
        }

        void write(int elector, long word) {
            process.fabric().writeWord(0, elector * Layouts.WORD, word);
        }
    }

    /** Does not see what another proposer has had accepted, and so does not adopt it. */
    private static final class ForgettingElectors extends ExploredElectors {

        private final Map<Integer, Long> real = new HashMap<>();

        ForgettingElectors(Process<String, ViewChange> process, boolean backwards) {
            super(process, backwards);
        }

        @Override
        public Map<Integer, Long> read(Collection<Integer> electors, long view) {
            real.clear();
            real.putAll(super.read(electors, view));
            Map<Integer, Long> seen = new HashMap<>(real);
            seen.replaceAll((_, word) -> forgotten(word));
            return seen;
        }

        private static long forgotten(long word) {
            ViewWord known = ViewWord.fromWord(word);
            return new ViewWord(known.promised(), 0, known.generation(), ViewChange.NONE).toWord();
        }

        @Override
        long exchange(int elector, Exchange exchange) {
            boolean isPromise = ViewWord.fromWord(exchange.value()).accepted() == 0;
            long expected = isPromise ? real.getOrDefault(elector, exchange.expected()) : exchange.expected();
            long witness = super.exchange(elector, new Exchange(expected, exchange.value()));
            return witness == expected ? exchange.expected() : witness;
        }
    }

    /** Writes what is accepted, whatever was promised meanwhile. */
    private static final class WritingElectors extends ExploredElectors {

        WritingElectors(Process<String, ViewChange> process, boolean backwards) {
            super(process, backwards);
        }

        @Override
        long exchange(int elector, Exchange exchange) {
            ViewWord value = ViewWord.fromWord(exchange.value());
            if (value.accepted() != value.promised()) {
                return super.exchange(elector, exchange);
            }
            write(elector, exchange.value());
            return exchange.expected();
        }
    }

    private interface Making {
        ExploredElectors of(Process<String, ViewChange> process, boolean backwards);
    }

    /** Proposes to remove the rank itself, so that each proposes something else. */
    private static Program<String, ViewChange> proposer(View view, Making making,
            Predicate<Collection<Integer>> isQuorum,
            int rank, int attempts) {
        return process -> {
            Electors electors = making.of(process, rank % 2 == 1);
            return () -> process.call("propose", () -> propose(electors, view, isQuorum, rank, attempts));
        };
    }

    private static ViewChange propose(Electors electors, View view, Predicate<Collection<Integer>> isQuorum, int rank,
            int attempts) {
        for (int attempt = 0; attempt < attempts; attempt++) {
            ProposalOutcome proposalOutcome = new Election(electors, view, isQuorum, rank)
                    .propose(ViewChange.remove(rank, 1));
            if (proposalOutcome instanceof ProposalOutcome.Decided decided) {
                return decided.viewChange();
            }
        }
        return ViewChange.NONE;
    }

    private static Program<String, ViewChange> proposer(int rank, int attempts) {
        return proposer(VIEW, ExploredElectors::new, VIEW::isQuorum, rank, attempts);
    }

    private static Program<String, ViewChange> writing(int elector, long word) {
        return process -> {
            ExploredElectors electors = new ExploredElectors(process, false);
            return () -> electors.write(elector, word);
        };
    }

    private static final Program<String, ViewChange> NO_REPAIR = process -> () -> {};

    /** The electors take part from the view on. */
    private static Exploration<String, ViewChange> exploration() {
        return new Exploration<String, ViewChange>(VIEW.electors().size()).before(process -> {
            ExploredElectors electors = new ExploredElectors(process, false);
            return () -> VIEW.electors().forEach(elector -> electors.write(elector, UNUSED));
        });
    }

    /** Returns true if all that know of a decision know of the same one. */
    private static boolean agree(List<Call<String, ViewChange>> calls) {
        return decisions(calls).distinct().count() <= 1;
    }

    private static Stream<ViewChange> decisions(List<Call<String, ViewChange>> calls) {
        return calls.stream()
                .map(Call::result)
                .filter(Objects::nonNull)
                .filter(viewChange -> viewChange != ViewChange.NONE);
    }

    private static void assertRight(Exploration<String, ViewChange> exploration) {
        var outcome = exploration.explore(ElectionTest::agree);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.states()).as("states").isGreaterThan(1000);
    }

    private static void assertWrong(Exploration<String, ViewChange> exploration) {
        assertThat(exploration.explore(ElectionTest::agree).counterexample()).isNotNull();
    }

    @Test
    void twoProposersThatMayStopAtAnyStepDecideOneChange() {
        assertRight(exploration().mortal(proposer(0, 1), NO_REPAIR)
                .mortal(proposer(1, 1), NO_REPAIR)
                .afterwards(proposer(2, 1)));
    }

    @Test
    void whoIsBeatenFinishesWhatTheOtherHasBegun() {
        assertRight(exploration().process(proposer(0, 2)).process(proposer(1, 2)));
    }

    @Test
    void twoWithTheSameBallotDecideOneChange() {
        assertRight(exploration().process(proposer(1, 1)).process(proposer(9, 1)).afterwards(proposer(0, 1)));
    }

    @Test
    void anElectorThatEndsOrComesBackWithoutItsMemoryHasNoVote() {
        assertRight(exploration().process(proposer(0, 1)).process(proposer(1, 1)).process(writing(2, 0)));
        assertRight(exploration().process(proposer(0, 1))
                .process(proposer(1, 1))
                .process(writing(0, 0))
                .afterwards(proposer(2, 1)));
    }

    @Test
    void somebodyAloneDecidesInOneAttempt() {
        var outcome = exploration().process(proposer(1, 1))
                .explore(calls -> decisions(calls).toList().equals(List.of(ViewChange.remove(1, 1))));
        assertThat(outcome.counterexample()).isNull();
    }

    @Test
    void whatWasAcceptedAndIsNotAdoptedIsFound() {
        assertWrong(exploration().process(proposer(0, 1))
                .process(proposer(VIEW, ForgettingElectors::new, VIEW::isQuorum, 1, 1)));
    }

    @Test
    void whatIsAcceptedByAWriteIsFound() {
        assertWrong(exploration().process(proposer(0, 1))
                .process(proposer(VIEW, WritingElectors::new, VIEW::isQuorum, 1, 1)));
    }

    @Test
    void anElectorWithoutMemoryThatCountsIsFound() {
        assertWrong(exploration().process(proposer(0, 1)).process(proposer(1, 1)).process(writing(1, UNUSED)));
    }

    @Test
    void oneElectorAsAQuorumIsFound() {
        Predicate<Collection<Integer>> one = electors -> !electors.isEmpty();
        assertWrong(exploration().process(proposer(VIEW, ExploredElectors::new, one, 0, 1))
                .process(proposer(VIEW, ExploredElectors::new, one, 1, 1)));
    }
}
