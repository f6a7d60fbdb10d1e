package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ViewTest {

    private static final View FIRST = View.first(3, 8);

    private static List<List<Integer>> subsets(List<Integer> ranks) {
        List<List<Integer>> subsets = new ArrayList<>();
        for (int bits = 0; bits < 1 << ranks.size(); bits++) {
            int chosen = bits;
            subsets.add(IntStream.range(0, ranks.size())
                    .filter(at -> (chosen >> at & 1) == 1)
                    .mapToObj(ranks::get)
                    .toList());
        }
        return subsets;
    }

    @Test
    void aWorldBeginsWithTheFirstLifeOfEachFoundingRank() {
        assertThat(FIRST.number()).isEqualTo(1);
        assertThat(FIRST.members()).containsExactly(0, 1, 2);
        assertThat(FIRST.isMember(1, 1)).isTrue();
        assertThat(FIRST.isMember(1, 2)).isFalse();
        assertThat(FIRST.entries()).hasSize(8);
    }

    @Test
    void theFiveLowestMembersAreElectors() {
        View view = View.first(7, 8).after(ViewChange.remove(1, 1));
        assertThat(view.electors()).containsExactly(0, 2, 3, 4, 5);
        assertThat(FIRST.electors()).containsExactly(0, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7})
    void anyTwoQuorumsMeet(int size) {
        View view = View.first(size, 8);
        List<List<Integer>> quorums = subsets(view.electors()).stream().filter(view::isQuorum).toList();
        assertThat(quorums).isNotEmpty()
                .allSatisfy(one -> assertThat(quorums).allMatch(other -> one.stream()
                        .anyMatch(other::contains)));
        assertThat(quorums.stream().mapToInt(List::size).min()).hasValue(view.quorum());
    }

    @Test
    void halfIsAQuorumOnlyWithTheLowest() {
        View two = View.first(2, 8);
        assertThat(two.isQuorum(Set.of(0))).isTrue();
        assertThat(two.isQuorum(Set.of(1))).isFalse();
        View four = View.first(4, 8);
        assertThat(four.isQuorum(Set.of(0, 3))).isTrue();
        assertThat(four.isQuorum(Set.of(1, 2))).isFalse();
    }

    @Test
    void whoIsNoElectorHasNoVote() {
        assertThat(View.first(7, 8).isQuorum(Set.of(0, 1, 5, 6))).isFalse();
    }

    @Test
    void aRankThatIsRemovedComesBackInALaterLifeOnly() {
        View without = FIRST.after(ViewChange.remove(2, 1));

        assertThat(without.number()).isEqualTo(2);
        assertThat(without.members()).containsExactly(0, 1);
        assertThat(without.hasRemoved(2, 1)).isTrue();
        assertThat(without.hasRemoved(2, 2)).isFalse();
        assertThat(without.allows(ViewChange.add(2, 1))).isFalse();
        assertThat(without.after(ViewChange.add(2, 2)).isMember(2, 2)).isTrue();
    }

    @Test
    void aLaterLifeTakesThePlaceOfTheOneBefore() {
        View next = FIRST.after(ViewChange.add(1, 4));
        assertThat(next.hasRemoved(1, 1)).isTrue();
        assertThat(next.hasRemoved(1, 3)).isTrue();
        assertThat(next.isMember(1, 4)).isTrue();
        assertThat(next.after(ViewChange.remove(1, 3)).isMember(1, 4)).isTrue();
    }

    @Test
    void alsoALifeThatWasNeverAMemberCanBeRemoved() {
        View without = FIRST.after(ViewChange.remove(1, 3)).after(ViewChange.remove(5, 2));
        assertThat(without.hasRemoved(1, 3)).isTrue();
        assertThat(without.isMember(1)).isFalse();
        assertThat(without.hasRemoved(5, 2)).isTrue();
    }

    @Test
    void whatAViewDoesNotAllowChangesItsNumberAlone() {
        View last = FIRST.after(ViewChange.remove(1, 1)).after(ViewChange.remove(2, 1));
        for (ViewChange viewChange : List.of(ViewChange.NONE, ViewChange.add(0, 1), ViewChange.remove(0, 1),
                ViewChange.remove(2, 1))) {
            assertThat(last.allows(viewChange)).isFalse();
            assertThat(last.after(viewChange)).isEqualTo(new View(4, last.entries()));
        }
    }

    @Test
    void aViewNamesItsMembersWithTheirIncarnations() {
        assertThat(FIRST.after(ViewChange.add(2, 7))).hasToString("view=2 members=[0/1,1/1,2/7]");
    }
}
