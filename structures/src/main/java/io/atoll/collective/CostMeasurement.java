package io.atoll.collective;

import static io.atoll.collective.Samples.medianNanos;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.memory.Layouts;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * Measures the parameters of LogGP on the fabric at hand, between rank 0 and rank 1. The methods are those of Culler
 * and others, 1996, and Kielmann and others, 2000, with verbs for messages. Each time is a median.
 * <ul>
 * <li>o: the time to post a write of one word;
 * <li>g: how much longer a train of {@value #TRAIN} such writes takes than one of them, for each further write;
 * <li>G: how much longer a piece of a broadcast takes than one word, for each byte. Its way out of this rank's memory
 * is included, and each piece comes from another place;
 * <li>L: half the time of a word there and another one back, without o. Each receiver looks for its word all the time;
 * <li>o_r: how much longer the broadcast of a word along the tree takes than the rest of its formula.
 * </ul>
 *
 * <p>Each rank's segment contains the ball of the ping-pong, in a cache line of its own. Behind it is a region from
 * which pieces are written:
 * <pre>
 *       0         64
 *       +---------+-----------//----------+
 *       |  ball   |  region               |
 *       +---------+-----------//----------+
 * </pre>
 */
final class CostMeasurement {

    /** The number of ranks that take part. All others only wait. */
    public static final int RANKS = 2;

    private static final LogGP UNKNOWN = new LogGP(0, 0, 0, 0, 0);
    private static final int TRAIN = 32;
    private static final int SAMPLES = 200;
    private static final int BALLS = 500;
    private static final int BROADCASTS = 50;
    private static final int LOOKS_BEFORE_ASKING = 1 << 12;
    private static final long PIECE_BYTES = Broadcast.PIECE_BYTES;
    private static final StructLayout HEAD = MemoryLayout.structLayout( //
            Layouts.word("ball"), // how often it has come; written by the other rank
            Layouts.padToCacheLine(Layouts.WORD));
    private static final long BALL = Layouts.offsetOf(HEAD, "ball");
    private static final long REGION = HEAD.byteSize();

    private final Participant self;
    private final Endpoint endpoint;
    private final Broadcast tree;
    private final long[] blocks;
    private final long regionBytes;
    private long balls; // the number played in this measurement and those before
    private long place; // where the next piece goes

    /**
     * @param tree a window of ranks 0 and 1 that uses the tree; other ranks do not use it
     * @param regionBytes how much memory pieces come from: about what will be broadcast, if that is more than caches
     * have room for; at least a piece, whole words
     */
    public CostMeasurement(Participant self, Broadcast tree, long regionBytes) {
        if (self.size() < RANKS || regionBytes < PIECE_BYTES) {
            throw new IllegalArgumentException("it takes two ranks and a piece: size=" + self.size() + " regionBytes="
                    + regionBytes);
        }
        this.self = self;
        this.endpoint = self.endpoint();
        this.tree = tree;
        this.regionBytes = regionBytes;
        this.blocks = self.directory()
                .open("collective.measurement", "measurement bytes=" + regionBytes,
                        rank -> rank < RANKS ? REGION + regionBytes : 0, OnLoss.FAIL, Replacement.zeroed(_ -> true));
    }

    /**
     * Measures. Every rank calls it at the same time, and gets the same result. Takes part of a second.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile
     * @throws FabricTimeoutException when the other one does not send the ball back
     */
    public LogGP run() throws InterruptedException {
        balls = 0;
        if (self.rank() < RANKS) {
            tree.team(); // opens the window
            endpoint.writeWord(self.rank(), blocks[self.rank()] + BALL, 0);
        }
        self.barrier();
        if (self.rank() == 0) {
            return told(withRankOne());
        }
        if (self.rank() == 1) {
            for (int ball = 0; ball < 2 * BALLS; ball++) {
                balls++;
                awaitBall(0);
                throwBall(0);
            }
        }
        return told(UNKNOWN);
    }

    private LogGP withRankOne() throws InterruptedException {
        double there = medianNanos(BALLS, this::throwAndCatch) / 2;
        double overhead = medianNanos(SAMPLES, this::post, this::complete);
        double one = medianNanos(SAMPLES, () -> sendWords(1));
        double train = medianNanos(SAMPLES, () -> sendWords(TRAIN));
        double piece = medianNanos(SAMPLES, this::sendPiece);
        double latency = Math.max(0, there - overhead);
        double gap = Math.max(0, (train - one) / (TRAIN - 1));
        double gapPerByte = Math.max(0, (piece - one) / (PIECE_BYTES - Layouts.WORD));
        double broadcast = medianNanos(BROADCASTS, this::broadcastWord);
        double rest = new LogGP(latency, overhead, gap, gapPerByte, 0).binomial(RANKS, Layouts.WORD);
        return new LogGP(latency, overhead, gap, gapPerByte, Math.max(0, broadcast - rest));
    }

    /** Returns the result at all ranks: rank 0 tells the others what it has found. */
    private LogGP told(LogGP found) throws InterruptedException {
        long[] bits = DoubleStream
                .of(found.latency(), found.overhead(), found.gap(), found.gapPerByte(), found.receiveOverhead())
                .mapToLong(Double::doubleToRawLongBits)
                .toArray();
        self.allReduce(bits, (first, _) -> first);
        double[] told = Arrays.stream(bits).mapToDouble(Double::longBitsToDouble).toArray();
        return new LogGP(told[0], told[1], told[2], told[3], told[4]);
    }

    // --- messages ---

    private void throwBall(int to) {
        Batch batch = endpoint.batch();
        batch.writeWord(to, blocks[to] + BALL, balls);
        batch.complete();
    }

    private void awaitBall(int from) throws InterruptedException {
        int looks = 0;
        long deadline = System.nanoTime() + self.reservations().timeout().toNanos();
        // acquire: pairs with the write of the other rank. Nothing else is read after it.
        while (endpoint.readWord(self.rank(), blocks[self.rank()] + BALL) < balls) {
            if (++looks % LOOKS_BEFORE_ASKING == 0) {
                refuseIfLate(from, deadline);
                Thread.yield();
            }
            Thread.onSpinWait();
        }
    }

    private void refuseIfLate(int from, long deadline) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted in a measurement");
        }
        if (System.nanoTime() - deadline >= 0) {
            throw new FabricTimeoutException("the other rank does not answer, look whether it measures, too", "",
                    self.reservations().timeout(), "measurement", from, FabricException.WHOLE_SEGMENT);
        }
    }

    private void throwAndCatch() throws InterruptedException {
        balls++;
        throwBall(1);
        awaitBall(1);
    }

    private void post() {
        Batch batch = endpoint.batch();
        batch.writeWord(1, blocks[1] + REGION, 1);
        batch.post();
    }

    private void complete() {
        endpoint.batch().complete();
    }

    private void broadcastWord() {
        tree.send(0, Layouts.WORD);
        tree.flush();
    }

    private void sendWords(int words) {
        Batch batch = endpoint.batch();
        for (int word = 0; word < words; word++) {
            batch.writeWord(1, blocks[1] + REGION + word * Layouts.CACHE_LINE, word);
        }
        batch.complete();
    }

    private void sendPiece() {
        try (Batch batch = endpoint.batch()) {
            endpoint.fabric().local().load(blocks[0] + REGION + place, batch.buffer(), 0, PIECE_BYTES);
            batch.write(1, blocks[1] + REGION + place, 0, PIECE_BYTES);
            batch.complete();
        }
        place = place + 2 * PIECE_BYTES <= regionBytes ? place + PIECE_BYTES : 0;
    }
}
