package io.atoll.map;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.array.LongArray;
import io.atoll.codec.FixedHash;
import io.atoll.failure.RankUnreachableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A rank that inserts ascending numbers into a map by a buffer. It inserts some and then flushes, again and again,
 * while ranks are killed. It ends when rank 0 says that it is enough. The segment of rank 0, which is not killed, has
 * how far each life of each rank has come.
 */
final class BufferFiller implements AutoCloseable {

    static final int RANKS = 3;
    static final long KEYS_OF_A_FLUSH = 300;

    private static final int LIVES = 64; // of a rank, at most
    private static final int LIFE_SHIFT = 32; // the numbers of a life begin with the life
    private static final int MESSAGE = 16;
    private static final int QUEUE = 200; // less than arrives, so that some entries are inserted one by one
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * The place, among what was flushed, of the last barrier of the last flush but one. It is the place of a life that
     * no rank has.
     */
    private static final long END = 0;

    private final World world;
    private final LongArray flushed;
    private final LongArray told;
    private final FutureTask<Void> filling = new FutureTask<>(this::fill);
    private volatile boolean enough;

    BufferFiller(Path folder, int rank) {
        world = World.named("buffer")
                .keySeed(FixedHash.SEED)
                .size(RANKS)
                .rank(rank)
                .segment(64 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .joinTimeout(PATIENCE)
                .open();
        flushed = world.longArray("flushed").length(RANKS * LIVES).host(0).openLazily();
        told = world.longArray("told").length(RANKS * LIVES).host(0).openLazily();
    }

    int incarnation() {
        return world.incarnation();
    }

    /** Returns how many numbers a life of a rank has inserted and knows to be in the map. */
    long flushed(int rank, int incarnation) {
        return flushed.get(life(rank, incarnation));
    }

    /** Returns how often a rank that is not killed was told that another one had gone. */
    long told(int rank) {
        return told.get(life(rank, 1));
    }

    static int life(int rank, int incarnation) {
        return rank * LIVES + incarnation;
    }

    static int life(long key) {
        return (int) (key >>> LIFE_SHIFT);
    }

    static long number(long key) {
        return key & (1L << LIFE_SHIFT) - 1;
    }

    DistributedMap<Long, Long> map() {
        return world.map("map", Long.class, Long.class).capacity(1_000).open();
    }

    /** Ends the filling. All ranks end with the same flush, which inserts what they have inserted until then. */
    void end() {
        enough = true;
    }

    /** Begins, in a thread of its own. */
    void start() {
        Thread.ofPlatform().daemon().start(filling);
    }

    /** Waits until the filling has ended, and fails if it has not ended as it should. */
    void join() throws Exception {
        filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private @Nullable Void fill() throws InterruptedException {
        int life = life(world.rank(), world.incarnation());
        told.set(life, 0); // opened now, because it cannot be opened when a rank has gone
        try (HashMapBuffer<Long, Long> buffer = map().buffer(QUEUE, MESSAGE)) {
            for (long number = 0; !hasEnded();) {
                number = insert(buffer, life, number);
                if (succeeds(buffer::flush)) {
                    flushed.set(life, number);
                    tellTheEnd();
                }
            }
        }
        return null;
    }

    private void tellTheEnd() {
        if (enough) {
            flushed.set(END, world.participant().lastBarrier());
            enough = false;
        }
    }

    /**
     * Returns true after the flush that follows the one after which rank 0 has told the end. These two flushes have the
     * same numbers at all ranks.
     */
    private boolean hasEnded() {
        long end = flushed.get(END);
        return end != 0 && world.participant().lastBarrier() != end;
    }

    /**
     * Inserts the keys of a flush. Inserts fewer if several flushes have failed, so that no more can be staged. Returns
     * the number of the next key.
     */
    private long insert(HashMapBuffer<Long, Long> buffer, int life, long first) throws InterruptedException {
        long number = first;
        while (number < first + KEYS_OF_A_FLUSH) {
            long key = (long) life << LIFE_SHIFT | number;
            try {
                if (succeeds(() -> buffer.putIfAbsent(key, -key))) {
                    number++;
                }
            } catch (IllegalStateException refused) {
                break;
            }
        }
        return number;
    }

    private interface Action {
        void run() throws InterruptedException;
    }

    /** Runs the action. Returns false if a rank was not there; it has come back then. */
    private boolean succeeds(Action action) throws InterruptedException {
        try {
            action.run();
            return true;
        } catch (RankUnreachableException gone) {
            told.getAndAdd(life(world.rank(), world.incarnation()), 1);
            world.peers().awaitAll(PATIENCE);
            return false;
        }
    }

    @Override
    public void close() {
        world.close();
    }
}
