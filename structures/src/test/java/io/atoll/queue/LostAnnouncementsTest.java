package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests if a rank counts as a possible holder of a ticket, where the announcements of one rank were lost. */
class LostAnnouncementsTest {

    private static final int RANKS = 2;
    private static final int LOSER = 1;
    private static final long CAPACITY = 16;
    private static final long TICKET = 5;

    @TempDir
    private Path folder;

    private World host;
    private World loser;

    @BeforeEach
    void join() {
        host = open(0);
        loser = open(LOSER);
        openQueue(host);
        openQueue(loser);
    }

    @AfterEach
    void leave() {
        host.close();
        loser.close();
    }

    private World open(int rank) {
        return World.named("lossy")
                .size(RANKS)
                .rank(rank)
                .fabric(Fabrics.sharedMemory(folder, true))
                .segment(1 << 20)
                .open();
    }

    /** Opens the queue, and uses it: a rank that has pushed nothing holds no ticket. */
    private static void openQueue(World world) {
        LongCircularQueue queue = world.longQueue("tasks").capacity(CAPACITY).open();
        assertThat(queue.push(1)).isTrue();
        assertThat(queue.pop(0)).isOne();
    }

    private void loseMemory() throws IOException {
        loser.close();
        Files.delete(folder.resolve("atoll-lossy-" + LOSER + ".segment"));
        loser = open(LOSER);
        await().atMost(Duration.ofSeconds(60)).until(() -> host.peers().incarnations()[LOSER] == loser.incarnation());
        openQueue(loser);
    }

    /** Returns the blocks as this participant finds them now. */
    private static long[] blocks(Participant self) {
        return IntStream.range(0, RANKS)
                .mapToLong(rank -> self.directory()
                        .structures(rank)
                        .stream()
                        .filter(structure -> structure.name().equals("tasks"))
                        .mapToLong(NamedStructure::offset)
                        .findFirst()
                        .orElseThrow())
                .toArray();
    }

    private static PushAnnouncements announcements(Participant self, long[] blocks) {
        return new PushAnnouncements("tasks", self, blocks);
    }

    private static RingBlock ring(long[] blocks) {
        return RingBlock.first(WorldIdentity.defaultMaxSize(RANKS), 0, blocks[0] + QueueBlock.FIRST_RING, CAPACITY,
                new Slot(Long.BYTES));
    }

    @Test
    void whoKnowsTheLostSegmentOnlyNeitherWaitsForTheRankNorTakesItForOneThatHoldsNothing() throws IOException {
        Participant former = host.participant();
        long[] before = blocks(former);
        loseMemory();
        assertThatExceptionOfType(SegmentLostException.class)
                .isThrownBy(() -> announcements(former, before).holder(ring(before), TICKET))
                .satisfies(lost -> assertThat(lost.rank()).isEqualTo(LOSER));
    }

    @Test
    void whoKnowsTheOtherSegmentSeesWhatIsAnnouncedThere() throws IOException {
        loseMemory();
        Participant present = host.participant();
        long[] blocks = blocks(present);
        PushAnnouncements seen = announcements(present, blocks);
        assertThat(seen.holder(ring(blocks), TICKET)).isEqualTo(Reservations.NOBODY);
        PushAnnouncements own = announcements(loser.participant(), blocks);
        long announcement = own.begin(ring(blocks), TICKET);
        assertThat(seen.holder(ring(blocks), TICKET)).isEqualTo(LOSER);
        own.end(announcement);
        assertThat(seen.holder(ring(blocks), TICKET)).isEqualTo(Reservations.NOBODY);
    }

    /** The rank uses the ring, as the ring's words say. Its announcements are not where this process still looks. */
    @Test
    void aRankMayHoldATicketBeforeThisProcessHasLearntOfItsOtherSegment() {
        Participant self = host.participant();
        long[] blocks = blocks(self);
        RingBlock ring = ring(blocks);
        PushAnnouncements pushAnnouncements = announcements(self, blocks);
        assertThat(pushAnnouncements.holder(ring, TICKET)).isEqualTo(Reservations.NOBODY);
        self.endpoint().writeWord(0, ring.header + RingBlock.user(LOSER), loser.incarnation() + 1);
        assertThat(pushAnnouncements.holder(ring, TICKET)).isEqualTo(LOSER);
    }
}
