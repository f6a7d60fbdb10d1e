package io.atoll.spring.state;

import io.atoll.view.View;
import io.atoll.view.Views;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of the world, as the answering rank knows them.
 *
 * @param decided true if views decide which ranks are dead; else the kernel knows, since all ranks share memory
 * @param number the number of the view by which the rank acts. It is 0 until the world is founded, and where views
 * decide nothing
 * @param members the ranks in the view, in their order
 * @param electors the ranks that decide the next view, in their order
 * @param quorum how many electors are needed at least; exactly half of them only with the lowest one
 * @param suspected the ranks that this rank does not hear
 * @param suspicions for each rank that some rank does not hear, the ranks that do not hear it: this rank, and electors
 * that this rank hears
 * @param waiting what a decision waits for, if it has to
 */
public record ViewState(boolean decided, long number, List<Member> members, List<Integer> electors, int quorum,
        List<Integer> suspected, Map<Integer, List<Integer>> suspicions, @Nullable String waiting) {

    /** A rank, and how often it has been started, from 1. */
    public record Member(int rank, int incarnation) {}

    static final ViewState NONE = new ViewState(false, 0, List.of(), List.of(), 0, List.of(), Map.of(), null);

    static ViewState of(Views.Status status) {
        View view = status.view();
        if (view == null) {
            return new ViewState(true, 0, List.of(), List.of(), 0, status.suspected(), status.suspicions(),
                    null);
        }
        return new ViewState(true, view.number(),
                view.members().stream().map(rank -> new Member(rank, view.incarnation(rank))).toList(),
                view.electors(), view.quorum(), status.suspected(), status.suspicions(),
                status.waiting().orElse(null));
    }
}
