package io.atoll.fabric.tcp;

import static io.atoll.fabric.ConcurrentRanks.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.AttachedFabricContract;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.shm.OtherHost;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests ranks on several hosts. Ranks 0 and 1 share memory, as on one host. Rank 2 has its segment elsewhere, so the
 * others reach it only by TCP, and it reaches them only by TCP. Rank 3 is not there.
 */
@Timeout(180)
@Tag("network")
class MixedFabricTest extends AttachedFabricContract {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-mixed", 4);
    private static final int RANKS = 3;
    private static final Duration PROOF_TIMEOUT = Duration.ofSeconds(60);

    MixedFabricTest() {
        super(WORLD, RANKS);
    }

    @BeforeEach
    void attach(@TempDir Path here, @TempDir Path there) {
        for (int rank = 0; rank < RANKS; rank++) {
            attachments[rank] = attach(rank < 2 ? here : there, rank);
        }
        for (int from = 0; from < RANKS; from++) {
            for (int to = 0; to < RANKS; to++) {
                if (from != to) {
                    connect(from, to);
                }
            }
        }
    }

    /** Returns the settings of the ranks. A subclass may change them. */
    Tcp settings(Tcp tcp) {
        return tcp;
    }

    private Attachment attach(Path host, int rank) {
        return settings(new Tcp(new SharedMemory(host, true))).attach(WORLD, OptionalInt.of(rank), 128 << 10);
    }

    private void connect(int from, int to) {
        connect(attachments[from], attachments[to]);
    }

    /** Connects as a membership does: if ranks prove themselves, it waits until the other one has. */
    private static void connect(Attachment from, Attachment to) {
        int rank = to.fabric().rank();
        await().atMost(PROOF_TIMEOUT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> from.proof(rank, to.incarnation(), to.address()).isGiven());
        from.connect(rank, to.incarnation(), to.address());
    }

    @Override
    public int rounds() {
        return 300;
    }

    @Test
    void ranksOfThisHostAreMappedAndOthersAreNot() {
        assertThat(fabric(0).mapped(1)).isNotNull();
        assertThat(fabric(0).executesAtOnce(1)).isTrue();
        assertThat(fabric(0).mapped(2)).isNull();
        assertThat(fabric(0).executesAtOnce(2)).isFalse();
        assertThat(fabric(2).mapped(0)).isNull();
        fabric(0).getAndAdd(1, line(0), 1);
        assertThat(((TcpFabric) fabric(0)).peerConnections().posted(1)).as("frames to the rank of this host").isZero();
    }

    @Test
    void oneWordIsUsedBothWays() throws Exception {
        int additions = 2_000;
        together(at(0, fabric -> add(fabric, additions)), at(1, fabric -> add(fabric, additions)),
                at(2, fabric -> add(fabric, additions)));
        assertThat(fabric(2).readWord(1, line(0))).isEqualTo(3L * additions);
    }

    private void add(Fabric fabric, int additions) {
        for (int count = 0; count < additions; count++) {
            fabric.getAndAdd(1, line(0), 1);
        }
    }

    @Test
    void aBatchReachesRanksBothWays() throws Exception {
        together(at(0, fabric -> {
            var batch = fabric.batch();
            for (int rank = 0; rank < RANKS; rank++) {
                batch.writeWord(rank, line(0), 10 + rank);
                batch.read(rank, line(0), 8L * rank, 8);
                batch.getAndAdd(rank, line(0), 1);
            }
            batch.complete();
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(batch.word(8L * rank)).isEqualTo(10 + rank);
                assertThat(batch.result(rank)).isEqualTo(10 + rank);
            }
        }));
    }

    @Test
    void aRankOfThisHostThatWasFencedIsNotReachedByTcpInstead() {
        attachments[0].fence(1);
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> fabric(0).getAndAdd(1, line(0), 1));
        assertThat(attachments[0].isFenced(1, 1, 0)).isTrue();
        assertThat(fabric(0).executesAtOnce(1)).as("what was chosen for it").isTrue();
    }

    /** A network file system shows both hosts the same files, but they are not the same memory. */
    @Test
    void hostsThatShareAFolderReachEachOtherByTcp(@TempDir Path shared) {
        var world = new WorldIdentity("tcp-shared-folder", 2);
        var memory = new SharedMemory(shared, true);
        try (Attachment here = settings(new Tcp(memory)).attach(world, OptionalInt.of(0), 64 << 10);
                Attachment there = settings(new Tcp(new OtherHost(memory))).attach(world, OptionalInt.of(1),
                        64 << 10)) {
            connect(here, there);
            connect(there, here);
            assertThat(here.presence(1).state()).as("the membership must tell").isEqualTo(State.UNKNOWN);
            assertThat(here.fabric().mapped(1)).isNull();
            assertThat(here.fabric().getAndAdd(1, SegmentHeader.size(WorldIdentity.defaultMaxSize(2)), 3)).isZero();
            assertThat(there.fabric().readWord(1, SegmentHeader.size(WorldIdentity.defaultMaxSize(2)))).isEqualTo(3);
            assertThat(((TcpFabric) here.fabric()).peerConnections().posted(1)).isPositive();
        }
    }

    @Test
    void aRankThatComesBackOnAnotherHostWithoutItsSegmentIsRefusedUntilItHasAHigherNumber(@TempDir Path elsewhere) {
        attachments[1].close();
        attachments[0].fence(1);
        attachments[1] = attach(elsewhere, 1);
        assertThat(attachments[1].incarnation()).as("it has lost its segment").isEqualTo(1);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(0, 1))
                .withMessageContaining("a life of the rank that has ended");
    }

    @Test
    void oneThatAsksBeforeItIsMetHasAHigherNumber(@TempDir Path elsewhere) {
        attachments[1].close();
        attachments[0].fence(1);
        attachments[1] = attach(elsewhere, 1);
        assertThat(attachments[1].learnFormerLives(Map.of(0, attachments[0].address()))).isTrue();
        assertThat(attachments[1].incarnation()).isEqualTo(2);
        assertThat(SegmentHeader.born(attachments[1].fabric().local())).isEqualTo(2);
        connect(0, 1);
        connect(1, 0);
        assertThat(fabric(0).readWord(1, SegmentHeader.bornWord())).isEqualTo(2);
        assertThat(attachments[1].learnFormerLives(Map.of(0, attachments[0].address()))).as("what is met now")
                .isFalse();
    }
}
