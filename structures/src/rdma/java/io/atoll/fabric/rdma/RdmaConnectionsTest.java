package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.link.Secret;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a process reports of its queue pairs. */
@NeedsRdmaDevice
@Timeout(240)
class RdmaConnectionsTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-connections", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Attachment attach(int rank, Secret... secrets) {
        return new Rdma(Fabrics.sharedMemory(folder, false)).secrets(List.of(secrets))
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    private static Connections connections(Attachment attachment) {
        return attachment.connections().orElseThrow();
    }

    private static Peer peer(Attachment attachment, int rank) {
        return connections(attachment).peers().stream().filter(peer -> peer.rank() == rank).findFirst().orElseThrow();
    }

    @Test
    void queuePairsAreSeenFromTheirFirstUseUntilTheRankIsFenced() {
        try (Attachment zero = attach(0); Attachment one = attach(1)) {
            zero.connect(1, 1, one.address());
            one.connect(0, 1, zero.address());
            assertThat(connections(zero).transport()).isEqualTo("rdma");
            assertThat(connections(zero).peers()).extracting(Peer::rank).as("its own").containsExactly(0);

            zero.fabric().getAndAdd(1, WORD, 1);

            assertThat(peer(zero, 1).usable()).isOne();
            assertThat(peer(zero, 1).broken()).isEmpty();
            assertThat(peer(zero, 1).unanswered()).isZero();
            assertThat(peer(zero, 1).roundTrip()).isNull();
            assertThat(connections(zero).traffic()).isNull();
            zero.fence(1);
            assertThat(connections(zero).peers()).extracting(Peer::rank).containsExactly(0);
        }
    }

    @Test
    void aQueuePairThatBrokeSaysWhy() {
        try (Attachment zero = attach(0); Attachment one = attach(1)) {
            zero.connect(1, 1, one.address());
            one.connect(0, 1, zero.address());
            zero.fabric().getAndAdd(1, WORD, 1);
            one.fence(0);
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> zero.fabric().getAndAdd(1, WORD, 1));
            assertThat(peer(zero, 1).usable()).isZero();
            assertThat(peer(zero, 1).broken()).hasSize(1);
        }
    }

    @Test
    void attemptsThatAreRefusedAreCountedByReason() {
        try (Attachment zero = attach(0, Secret.of("one secret that is long enough to be one"));
                Attachment one = attach(1, Secret.of("another secret that is long enough too"))) {
            zero.connect(1, 1, one.address());
            one.connect(0, 1, zero.address());
            assertThat(connections(one).refused()).containsEntry("unproved", 0L);
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> zero.fabric().readWord(1, WORD));
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(connections(one).refused()).containsEntry("unproved", 1L));
        }
    }
}
