package io.atoll.view;

import io.atoll.view.Electors.Exchange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides the view that follows another one, with the words of its electors: the agreement of Paxos, whose acceptors
 * are words.
 * <pre>
 *   proposer                     word of each elector: promised, accepted, change
 *      |  (1) R: what is there       0, 0, none
 *      |  (2) A: promise 9           9, 0, none
 *      |  (3) A: accept              9, 9, REMOVE(rank 2, incarnation 1)
 * </pre>
 * <ol>
 * <li>The proposer reads the words of a quorum. If a quorum has accepted one ballot, that is the decision.
 * <li>The proposer chooses a ballot above all that were promised. It has it promised by an exchange of exactly what it
 * has read. So two proposers that use one ballot do not both have a quorum. At an elector that is in both, the second
 * exchange finds another word.
 * <li>Electors of the quorum that has promised may have accepted changes. The proposer then proposes the change of the
 * highest accepted ballot, since it may be decided. It proposes its own change only if nothing was accepted. The change
 * is accepted by an exchange of exactly the word that was promised. It happens before (2) of a higher ballot at that
 * elector, or it fails. A quorum has decided.
 * </ol>
 * A proposer that uses a higher ballot after a decision meets an elector of the deciding quorum in (2). Its exchange
 * there expects the accepted word, so it has read the change. Any rank that knows the view may propose: it finishes
 * what another has begun.
 *
 * <p>Cost: R of each elector and 2 A of each, in 3 round trips. Lock-free: a proposal fails only if another one goes
 * on.
 */
final class Election {

    private final Electors electors;
    private final View view;
    private final Predicate<Collection<Integer>> isQuorum;
    private final int proposer;

    /** @param proposer the rank that proposes */
    Election(Electors electors, View view, int proposer) {
        this(electors, view, view::isQuorum, proposer);
    }

    Election(Electors electors, View view, Predicate<Collection<Integer>> isQuorum, int proposer) {
        this.electors = electors;
        this.view = view;
        this.isQuorum = isQuorum;
        this.proposer = proposer;
    }

    private long next() {
        return view.number() + 1;
    }

    /**
     * Returns what is decided, if that can be seen, without proposing anything. Cost: R of each elector, in one round
     * trip.
     */
    ProposalOutcome look() {
        Map<Integer, Long> words = read();
        return seen(words).orElseGet(() -> words.values().stream().allMatch(word -> of(word).accepted() == 0)
                ? new ProposalOutcome.Open()
                : new ProposalOutcome.Beaten());
    }

    /** Proposes the change. Cost: 3 round trips, or 1 if something was decided before. */
    ProposalOutcome propose(ViewChange viewChange) {
        Map<Integer, Long> words = read();
        return seen(words).orElseGet(() -> propose(viewChange, words));
    }

    private Map<Integer, Long> read() {
        return new HashMap<>(electors.read(view.electors(), next()));
    }

    private Optional<ProposalOutcome> seen(Map<Integer, Long> words) {
        if (words.values().stream().anyMatch(word -> word != 0 && ViewWord.fromWord(word).isBeyond(next()))) {
            return Optional.of(new ProposalOutcome.Behind());
        }
        words.values().removeIf(word -> word == 0); // the elector has lost its memory: it has no vote
        if (!isQuorum.test(words.keySet())) {
            List<Integer> missing = new ArrayList<>(view.electors());
            missing.removeAll(words.keySet());
            return Optional.of(new ProposalOutcome.NoQuorum(missing));
        }
        return decided(words);
    }

    private Optional<ProposalOutcome> decided(Map<Integer, Long> words) {
        Map<Integer, List<Integer>> accepting = words.keySet()
                .stream()
                .collect(Collectors.groupingBy(elector -> of(words.get(elector)).accepted()));
        return accepting.entrySet()
                .stream()
                .filter(ballot -> ballot.getKey() != 0 && isQuorum.test(ballot.getValue()))
                .map(ballot -> of(words.get(ballot.getValue().getFirst())).viewChange())
                .<ProposalOutcome>map(ProposalOutcome.Decided::new)
                .findFirst();
    }

    private ViewWord of(long word) {
        return ViewWord.fromWord(word).of(next());
    }

    private ProposalOutcome propose(ViewChange viewChange, Map<Integer, Long> words) {
        int highest = words.values().stream().mapToInt(word -> of(word).promised()).max().orElse(0);
        int ballot = ViewWord.ballotAbove(highest, proposer);
        if (ballot > ViewWord.MOST_BALLOT) {
            return new ProposalOutcome.Beaten();
        }
        Map<Integer, Exchange> promises = new HashMap<>();
        words.forEach((elector, word) -> promises.put(elector, new Exchange(word, of(word).promise(ballot).toWord())));
        Map<Integer, Long> promised = exchange(promises);
        if (!isQuorum.test(promised.keySet())) {
            return new ProposalOutcome.Beaten();
        }
        ViewChange proposed = promised.values()
                .stream()
                .map(this::of)
                .filter(word -> word.accepted() != 0)
                .max(Comparator.comparingInt(ViewWord::accepted))
                .map(ViewWord::viewChange)
                .orElse(viewChange);
        Map<Integer, Exchange> acceptances = new HashMap<>();
        promised.forEach((elector, word) -> acceptances.put(elector,
                new Exchange(word, of(word).accept(proposed).toWord())));
        Map<Integer, Long> accepted = exchange(acceptances);
        return isQuorum.test(accepted.keySet()) ? new ProposalOutcome.Decided(proposed) : new ProposalOutcome.Beaten();
    }

    /** Returns the new words of the electors whose exchange took place. */
    private Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges) {
        Map<Integer, Long> found = electors.exchange(exchanges, next());
        Map<Integer, Long> changed = new HashMap<>();
        found.forEach((elector, word) -> {
            Exchange exchange = exchanges.get(elector);
            if (exchange != null && exchange.expected() == word) {
                changed.put(elector, exchange.value());
            }
        });
        return changed;
    }
}
