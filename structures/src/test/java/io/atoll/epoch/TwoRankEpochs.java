package io.atoll.epoch;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two ranks over shared memory, each with a manager of the same epochs. */
abstract class TwoRankEpochs {

    static final long OBJECT_BYTES = 64;

    @TempDir
    Path folder;

    final List<World> worlds = new ArrayList<>();
    Heap heap;
    EpochManager epochs;
    EpochManager peer;

    World open(int rank) {
        World world = World.named("epochs")
                .size(2)
                .rank(rank)
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, true))
                .open();
        worlds.add(world);
        return world;
    }

    static EpochManager manager(World world, EpochSettings settings) {
        return new EpochManager(world::participant, settings);
    }

    @BeforeEach
    void open() {
        World first = open(0);
        World second = open(1);
        epochs = manager(first, EpochSettings.DEFAULT.tokens(4));
        peer = manager(second, EpochSettings.DEFAULT.tokens(4));
        heap = first.participant().heap();
    }

    @AfterEach
    void leave() {
        epochs.close();
        peer.close();
        worlds.forEach(World::close);
    }

    GlobalPointer object(int rank) {
        return heap.allocatePointer(rank, OBJECT_BYTES);
    }

    long objects(int rank) {
        return heap.usage(rank).objects();
    }

    /** Retires that many objects of both ranks, and leaves them to be freed. */
    void retire(Token token, int count) {
        try (Pin _ = token.pin()) {
            for (int number = 0; number < count; number++) {
                token.retire(object(number % 2).toWord(), OBJECT_BYTES);
            }
        }
    }

    static EpochSnapshot.Owned owned(int rank, long objects) {
        return new EpochSnapshot.Owned(rank, objects, objects * OBJECT_BYTES);
    }

    /** Runs the action on another thread, which ends. */
    static <T> T elsewhere(Callable<T> action) throws Exception {
        var task = new FutureTask<>(action);
        Thread thread = Thread.ofPlatform().start(task);
        thread.join();
        return task.get();
    }
}
