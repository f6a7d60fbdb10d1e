package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Fabric;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests which ranks are let in and which are kept out. Also tests what happens to verbs to ranks that are gone. The
 * test of every transport extends it.
 */
public abstract class LinkedAttachmentContract {

    private static final WorldIdentity WORLD = new WorldIdentity("linked-attachment", 2);

    protected static final long SEGMENT_BYTES = 64 << 10;

    /** A word that a test may use. */
    protected static final long WORD = SegmentHeader.size(WORLD.maxSize());

    private final Attachment[] attachments = new Attachment[2];

    /** Attaches a rank of a world. Ranks of this host must reach each other by connections. */
    protected abstract Attachment attach(WorldIdentity world, int rank);

    @BeforeEach
    void attach() {
        attachments[0] = attach(WORLD, 0);
        attachments[1] = attach(WORLD, 1);
        connect(0, 1);
        connect(1, 0);
    }

    protected final Attachment attachment(int rank) {
        return attachments[rank];
    }

    protected final void connect(int from, int to) {
        attachments[from].connect(to, attachments[to].incarnation(), attachments[to].address());
    }

    protected final Fabric fabric(int rank) {
        return attachments[rank].fabric();
    }

    protected final void restart(int rank) {
        attachments[rank].close();
        attachments[rank] = attach(WORLD, rank);
    }

    @AfterEach
    void detach() {
        for (Attachment attachment : attachments) {
            attachment.close();
        }
    }

    @Test
    void aRankOfThisHostIsKnownToLive() {
        assertThat(attachment(0).presence(1).state()).isEqualTo(State.PRESENT);
        assertThat(attachment(0).presence(1).incarnation()).isEqualTo(attachment(1).incarnation());
    }

    @Test
    void aSegmentOfAnotherWorldIsRefused() {
        try (Attachment stranger = attach(new WorldIdentity("link-stranger", 2), 1)) {
            stranger.connect(0, attachment(0).incarnation(), attachment(0).address());

            assertThatExceptionOfType(LayoutMismatchException.class)
                    .isThrownBy(() -> stranger.fabric().readWord(0, WORD))
                    .withMessageContaining("another world");
        }
    }

    @Test
    void aRankThatListensWhereAnotherIsExpectedIsRefused() {
        attachment(0).connect(1, attachment(0).incarnation(), attachment(0).address());

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("another rank listens there")
                .withMessageContaining("rank=1");
    }

    @Test
    void anotherIncarnationThanTheExpectedIsRefused() {
        attachment(0).connect(1, attachment(1).incarnation() + 1, attachment(1).address());

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("another incarnation than expected");
    }

    @Test
    void aFencedRankReachesTheSegmentNoMore() {
        fabric(0).writeWord(1, WORD, 7);
        fabric(0).flush(1);

        attachment(1).fence(0);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).getAndAdd(1, WORD, 1));
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).getAndAdd(1, WORD, 1))
                .withMessageContaining("declared dead");
        assertThat(fabric(1).readWord(1, WORD)).isEqualTo(7);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(1).readWord(0, WORD));
    }

    @Test
    void aFencedRankIsLetInAgainWhenItWasStartedAgain() {
        attachment(1).fence(0);

        restart(0);
        connect(0, 1);
        connect(1, 0);

        assertThat(attachment(0).incarnation()).isEqualTo(2);
        assertThat(fabric(0).getAndAdd(1, WORD, 5)).isZero();
        assertThat(fabric(1).readWord(1, WORD)).isEqualTo(5);
        assertThat(fabric(1).readWord(0, WORD)).isZero();
    }

    @Test
    void aFencedRankStaysOutWhenTheOwnerIsStartedAgain() {
        attachment(1).fence(0);

        restart(1);
        connect(0, 1);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("declared dead");
    }

    @Test
    void anIncarnationThatWasShutOutIsNotConnectedToAgain() {
        attachment(0).fence(1);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(0, 1))
                .withMessageContaining("a life of the rank that has ended")
                .withMessageContaining("fenced=1");
    }

    @Test
    void onlyTheOwnerOfASegmentCanSayWhichRanksWereShutOutOfIt() {
        assertThat(attachment(0).isFenced(1, 1, 0)).isFalse();

        attachment(0).fence(1);

        assertThat(attachment(0).isFenced(1, 1, 0)).isTrue();
        restart(1);
        connect(0, 1);
        connect(1, 0);
        assertThat(attachment(1).isFenced(1, 1, 0)).as("asked of the owner").isTrue();
        assertThat(attachment(1).isFenced(1, 2, 0)).isFalse();
        assertThat(attachment(1).isFenced(0, 1, 1)).as("nobody has shut it out here").isFalse();
    }

    @Test
    void anIncarnationThatWasNeverMetIsShutOutByTheNext() {
        restart(1);
        connect(0, 1);

        assertThat(attachment(0).isFenced(1, 1, 0)).isTrue();
    }

    @Test
    void whereARankOfThisHostListensStandsInItsSegment() {
        attachment(0).connect(1, attachment(1).incarnation(), Map.of());

        fabric(0).writeWord(1, WORD, 3);
        assertThat(fabric(0).getAndAdd(1, WORD, 0)).isEqualTo(3);
    }

    @Test
    void aRankThatWasStartedAgainHasItsDataAndIsReachedUnderItsHigherIncarnation() {
        fabric(0).writeWord(1, WORD, 7);
        fabric(0).flush(1);

        restart(1);
        attachment(0).fence(1);
        connect(0, 1);

        assertThat(attachment(1).incarnation()).isEqualTo(2);
        assertThat(fabric(0).readWord(1, WORD)).isEqualTo(7);
    }

    @Test
    void writesThatAreLostAreToldByALaterVerbOrByTheNextFlush() {
        fabric(0).readWord(1, WORD);
        attachment(1).close();

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> {
            for (int i = 0; i < 3; i++) {
                fabric(0).writeWord(1, WORD, i);
            }
            fabric(0).flush(1);
        }).withMessageContaining("rank=1");
    }

    @Test
    void aClosedFabricRefusesItsVerbs() {
        Fabric fabric = fabric(0);
        attachment(0).close();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> fabric.readWord(1, WORD));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> fabric.writeWord(1, WORD, 1));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(fabric::batch);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(fabric::flush);
    }
}
