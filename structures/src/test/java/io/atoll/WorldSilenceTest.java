package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.Standing;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rank that answers no more, and of which nobody can say whether it has ended. */
class WorldSilenceTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    private final AtomicBoolean silent = new AtomicBoolean();

    /** Shared memory, but what it knows of rank 1 is kept from its users while that is silent. */
    private record Muffled(FabricType segments, AtomicBoolean silent) implements FabricType {

        @Override
        public String name() {
            return segments.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            Attachment attached = segments.attach(world, rank, segmentBytes);
            return (Attachment) Proxy.newProxyInstance(Attachment.class.getClassLoader(), new Class<?>[]{
                Attachment.class}, (_, method, arguments) -> {
                    Object answer = method.invoke(attached, arguments);
                    return silent.get() && answer instanceof Presence known && arguments[0].equals(1)
                            ? new Presence(State.SILENT, known.incarnation())
                            : answer;
                });
        }
    }

    private World open(int rank, FabricType fabric) {
        return World.named("silence").size(2).rank(rank).segment(4 << 20).fabric(fabric).open();
    }

    @Test
    void aRankThatIsSilentStaysAndNothingOfItIsRepairedUntilItIsKnownToHaveEnded() throws Exception {
        FabricType segments = Fabrics.sharedMemory(folder, true);
        try (World world = open(0, new Muffled(segments, silent))) {
            try (World _ = open(1, segments)) {
                world.peers().awaitAll(SOON);
                silent.set(true);
            }
            await().atMost(SOON).until(() -> peer(world).refusal() != null);

            assertThat(peer(world).refusal()).contains("does not answer", "nothing of it is repaired");
            assertThat(peer(world).standing()).isEqualTo(Standing.JOINED);
            assertThat(world.peers().isFenced(1, 1, 0)).isFalse();

            silent.set(false);
            await().atMost(SOON).until(() -> peer(world).standing() == Standing.LOST);
            assertThat(peer(world).refusal()).isNull();
            assertThat(world.peers().isFenced(1, 1, 0)).isTrue();
        }
    }

    @Test
    void aRankThatAnswersAgainIsUsedAsBefore() throws Exception {
        FabricType segments = Fabrics.sharedMemory(folder, false);
        try (World world = open(0, new Muffled(segments, silent)); World _ = open(1, segments)) {
            world.peers().awaitAll(SOON);
            silent.set(true);
            await().atMost(SOON).until(() -> peer(world).refusal() != null);
            silent.set(false);
            await().atMost(SOON).until(() -> peer(world).refusal() == null);
            assertThat(peer(world)).isEqualTo(new Peer(1, Standing.JOINED, 1, 1, null));
            assertThat(world.peers().losses()).isZero();
        }
    }

    private static Peer peer(World world) {
        return world.peers().snapshot().get(1);
    }
}
