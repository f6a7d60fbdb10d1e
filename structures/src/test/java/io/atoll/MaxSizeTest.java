package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.epoch.EpochBlock;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.EpochStructure;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.lock.TableLayout;
import io.atoll.queue.LongCircularQueue;
import io.atoll.queue.QueueBytes;
import io.atoll.world.NamedStructure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Data with an entry for each rank has room for all ranks that may ever exist. Only the present ranks of the world use
 * it.
 */
class MaxSizeTest {

    private static final int SIZE = 2;
    private static final int MAX_SIZE = 100;
    private static final int TOKENS = 4;
    private static final int CAPACITY = 8;

    @TempDir
    private Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int rank, int maxSize) {
        World world = World.named("roomy")
                .size(SIZE)
                .maxSize(maxSize)
                .rank(rank)
                .epochs(EpochSettings.DEFAULT.tokens(TOKENS))
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        worlds.add(world);
        return world;
    }

    private static long bytes(World world, int rank, String name) {
        return world.participant()
                .directory()
                .structures(rank)
                .stream()
                .filter(structure -> structure.name().equals(name))
                .mapToLong(NamedStructure::bytes)
                .findFirst()
                .orElseThrow();
    }

    private static LockTable locks(World world) {
        return world.lockTable("guards").locks(10).descriptors(4).counted(true).open();
    }

    private static LongCircularQueue queue(World world) {
        return world.longQueue("jobs").capacity(CAPACITY).open();
    }

    @Test
    void blocksHaveRoomForEveryRankThatMayEverBe() {
        World world = open(0, MAX_SIZE);
        open(1, MAX_SIZE);
        world.epochs().prepare();
        queue(world);
        locks(world);
        for (int rank = 0; rank < SIZE; rank++) {
            assertThat(bytes(world, rank, EpochStructure.NAME)).isEqualTo(EpochBlock.bytes(TOKENS, MAX_SIZE));
            assertThat(bytes(world, rank, "guards")).isEqualTo(new TableLayout(SIZE, MAX_SIZE, 10, 4, true).bytes());
        }
        assertThat(bytes(world, 0, "jobs"))
                .isEqualTo(QueueBytes.atHome(MAX_SIZE, CAPACITY, Long.BYTES));
    }

    @Test
    void theRanksOfTheWorldUseThem() throws InterruptedException {
        World world = open(0, MAX_SIZE);
        World other = open(1, MAX_SIZE);
        LongCircularQueue pushing = queue(world);
        LongCircularQueue popping = queue(other);
        assertThat(pushing.push(7)).isTrue();
        pushing.migrate(1);
        assertThat(pushing.push(8)).isTrue();
        assertThat(popping.pop(-1)).isEqualTo(7);
        assertThat(popping.pop(-1)).isEqualTo(8);

        LockTable own = locks(world);
        LockTable others = locks(other);
        for (long index = 0; index < 10; index++) {
            try (Acquisition held = own.lockAt(index)) {
                assertThat(held.isHeld()).isTrue();
                assertThat(others.state(index).holder()).hasValueSatisfying(
                        holder -> assertThat(holder.rank()).isZero());
            }
        }
    }

    @Test
    void aSegmentOfAnotherMaximumIsRefused() {
        open(0, MAX_SIZE);
        assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(() -> open(1, MAX_SIZE + 1))
                .withMessageContaining("expectedMaxSize=101")
                .withMessageContaining("foundMaxSize=100");
    }
}
