package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.WaitReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What observers of a world see: health, meters, consoles. */
class WorldObserversTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private WorldBuilder world() {
        return World.named("seen").size(2).segment(4 << 20).fabric(Fabrics.sharedMemory(folder, false));
    }

    private World open(WorldBuilder builder) {
        World world = builder.open();
        worlds.add(world);
        return world;
    }

    @Test
    void joinsAndLossesOfTheOthersAreCounted() {
        World first = open(world().rank(0));
        assertThat(first.peers().joins()).isZero();
        open(world().rank(1));
        await().atMost(SOON).until(() -> first.peers().joins() == 1);
        worlds.removeLast().close();
        await().atMost(SOON).until(() -> first.peers().losses() == 1);
        open(world().rank(1));
        await().atMost(SOON).until(() -> first.peers().joins() == 2);
        assertThat(first.peers().losses()).isOne();
    }

    @Test
    void repairsOfWhatTheDeadHaveLeftAreCounted() {
        World world = open(world().rank(0));
        World second = open(world().rank(1));
        Participant first = world.participant();
        long word = first.heap().allocate(0, Long.BYTES);
        first.endpoint().writeWord(0, word, 7);
        second.close();
        assertThat(world.inspection().repairs()).isZero();
        first.reservations()
                .awaitSettled(0, word, 7, 1, second.incarnation(), () -> first.endpoint().writeWord(0, word, 8),
                        new WaitReason("change", "orders"));
        assertThat(world.inspection().repairs()).isOne();
        assertThat(world.inspection().repairs("orders")).isOne();
        assertThat(world.inspection().repairs("jobs")).isZero();
    }

    @Test
    void theFabricTellsAWorldOfBrokenConnections() {
        AtomicReference<Runnable> listener = new AtomicReference<>();
        FabricType memory = Fabrics.sharedMemory(folder, false);
        open(world().rank(0).fabric(new FabricType() {
            @Override
            public String name() {
                return memory.name();
            }

            @Override
            public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
                return listened(memory.attach(world, rank, segmentBytes), listener);
            }
        }));
        assertThat(listener.get()).isNotNull();
        listener.get().run();
    }

    private static Attachment listened(Attachment attachment, AtomicReference<Runnable> listener) {
        return Wrapper.around(attachment, Attachment.class, call -> {
            if (call.isOf("whenToLook")) {
                listener.set((Runnable) call.arguments()[0]);
            }
            return call.proceed();
        });
    }

    @Test
    void theKindOfAStructureIsTheFirstWordOfItsConfiguration() {
        assertThat(new NamedStructure("hits", "long-map capacity=100", 64, 64, 2).kind()).isEqualTo("long-map");
        assertThat(new NamedStructure("hits", "barrier", 64, 64, 2).kind()).isEqualTo("barrier");
    }
}
