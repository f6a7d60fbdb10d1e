package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.world.CountedOperations;
import io.atoll.world.NamedStructure;
import io.atoll.world.Operations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a history tells of the operations of its process. */
class OperationStatsTest {

    private final Operations operations = new Operations();
    private final OperationStats figures = new OperationStats(3);

    private void use(String structure, long times) {
        CountedOperations.add(operations, structure, times);
    }

    private List<String> listed() {
        List<String> listed = new ArrayList<>();
        for (int index = 0; index < figures.listed(); index++) {
            for (String name : List.of("a", "b", "c", "d")) {
                if (NamedStructure.hash(name) == figures.nameHash(index)) {
                    listed.add(name + " " + figures.total(index) + " " + figures.lately(index));
                }
            }
        }
        return listed;
    }

    @Test
    void whatIsMostActiveComesFirst() {
        use("a", 5);
        use("b", 7);
        figures.look(operations, 1_000);
        assertThat(listed()).containsExactly("b 7 7", "a 5 5");
        assertThat(figures.intervalMillis()).as("nobody knows since when").isZero();
        use("a", 90);
        figures.look(operations, 2_010);
        assertThat(listed()).containsExactly("a 95 90", "b 7 0");
        assertThat(figures.intervalMillis()).isEqualTo(1_010);
        assertThat(figures.total()).isEqualTo(102);
    }

    @Test
    void whatDoesNotFitIsToldTogether() {
        use("a", 1);
        use("b", 2);
        use("c", 3);
        use("d", 4);
        figures.look(operations, 1_000);
        assertThat(listed()).containsExactly("d 4 4", "c 3 3", "b 2 2");
        assertThat(figures.othersTotal()).isOne();
        assertThat(figures.othersLately()).isOne();
        use("a", 100);
        use("b", 1);
        figures.look(operations, 2_000);
        assertThat(listed()).containsExactly("a 101 100", "b 3 1", "d 4 0");
        assertThat(figures.othersTotal()).isEqualTo(3);
        assertThat(figures.othersLately()).isZero();
        assertThat(figures.total()).isEqualTo(111);
    }

    @Test
    void whatWasActiveASecondAgoStaysBeforeWhatWasNot() {
        use("d", 0);
        use("a", 1_000);
        figures.look(operations, 1_000);
        use("b", 1);
        figures.look(operations, 2_000);
        assertThat(listed()).startsWith("a 1000 0", "b 1 1");
    }

    @Test
    void aLookTakesNothingOfTheJavaHeap() {
        for (int structure = 0; structure < 1_000; structure++) {
            use("structure " + structure, structure);
        }
        figures.look(operations, 1_000);
        assertThat(AllocatedBytes.of(() -> figures.look(operations, 2_000))).isZero();
    }
}
