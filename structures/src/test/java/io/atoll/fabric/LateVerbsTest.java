package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which connections count as late, and for how long. */
class LateVerbsTest {

    private final LateVerbs lateVerbs = new LateVerbs();

    private LateVerbs.Connection connection(int rank, int incarnation) {
        var connection = new LateVerbs.Connection();
        connection.countBy(lateVerbs, rank, incarnation);
        return connection;
    }

    @Test
    void aConnectionCountsOnceFromItsBeginToItsEnd() {
        var connection = connection(1, 1);
        assertThat(lateVerbs.areAny()).isFalse();
        connection.begin();
        connection.begin();
        assertThat(lateVerbs.areAny()).isTrue();
        assertThat(lateVerbs.connections()).containsExactly(connection);
        connection.end();
        connection.end();
        assertThat(lateVerbs.areAny()).isFalse();
        assertThat(lateVerbs.connections()).isEmpty();
    }

    /** It may be replaced before the thread that breaks it has counted it. */
    @Test
    void whatHasEndedNeverBegins() {
        var connection = connection(1, 1);
        connection.end();
        connection.begin();
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void connectionsEndInAnyOrder() {
        var first = connection(1, 1);
        var second = connection(2, 1);
        var third = connection(3, 1);
        first.begin();
        second.begin();
        third.begin();
        second.end();
        assertThat(lateVerbs.connections()).containsExactlyInAnyOrder(first, third);
        third.end();
        assertThat(lateVerbs.connections()).containsExactly(first);
        first.end();
        assertThat(lateVerbs.areAny()).isFalse();
    }

    @Test
    void aLaterProcessEndsWhatLeadsToEarlierOnesOfItsRank() {
        var former = connection(1, 1);
        var present = connection(1, 2);
        var other = connection(2, 1);
        former.begin();
        present.begin();
        other.begin();
        lateVerbs.endBefore(1, 2);
        assertThat(lateVerbs.connections()).containsExactlyInAnyOrder(present, other);
    }

    @Test
    void aConnectionThatNobodyCountsHasNothingUnderWay() {
        var unused = new LateVerbs.Connection();
        unused.begin();
        unused.end();
        assertThat(lateVerbs.areAny()).isFalse();
    }
}
