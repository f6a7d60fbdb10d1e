package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Wrapper;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Lease;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.Reservations;
import org.junit.jupiter.api.Test;

/**
 * A connection breaks, and what an operation has reserved is undone long after it has ended. Then the memory of its
 * block may have another use.
 */
class LateUndoingTest {

    private static final Codec<Long> WORDS = Codecs.forType(Long.class);
    private static final Bucket BUCKET = DistributedMapSimulation.bucket(WORDS, WORDS);
    private static final long KEY = GrowingWorld.KEYS.getFirst();
    private static final int OWNER = KeyHash.rank(FixedHash.of(KEY), MapWorld.RANKS);
    private static final RankUnreachableException GONE = new RankUnreachableException("it is gone", "read", OWNER, 0);
    private static final OutOfMemoryError MISSING = new OutOfMemoryError("injected");

    private boolean isGone;
    private boolean missesMemory; // once the batch has failed
    private boolean hasFailed;
    private Runnable meanwhile = () -> {}; // before a batch fails
    private final Fabric direct = new Simulation(1, GrowingWorld.options(SimOptions.TCP).unmapped()).fabric(1);
    private final Participant self = Participants.amongTheLiving(Wrapper.around(direct, Fabric.class, call -> {
        if (call.isOf("batch")) {
            return breaking(direct.batch());
        }
        refuseWhileGone(call, "read", "readWord", "compareAndExchange");
        return call.proceed();
    }));
    private final Reservations reservations = self.reservations();

    private Batch breaking(Batch batch) {
        return Wrapper.around(batch, Batch.class, call -> {
            if (missesMemory && hasFailed && call.isOf("buffer")) {
                throw MISSING;
            }
            if (isGone && call.isOf("complete")) {
                hasFailed = true;
                call.proceed();
                isGone = false;
                meanwhile.run();
                isGone = true;
                throw GONE; // the verbs have been executed, and no answer arrives
            }
            return call.proceed();
        });
    }

    private void refuseWhileGone(Wrapper.Call call, String... verbs) {
        for (String verb : verbs) {
            if (isGone && call.isOf(verb)) {
                throw GONE;
            }
        }
    }

    private static MapOperation put(long key) {
        return new MapOperation(Kind.PUT, key, 1);
    }

    private static long block(Blocks blocks) {
        Token token = blocks.begin();
        try {
            return blocks.first(OWNER);
        } finally {
            blocks.end(token);
        }
    }

    /** Lets the block be replaced. Returns what it was. */
    private static long replaced(Blocks blocks, MapClient client) {
        long block = block(blocks);
        for (int round = 0; block(blocks) == block; round++) {
            assertThat(round).isLessThan(100);
            GrowingWorld.KEYS.forEach(key -> client.perform(put(key)));
        }
        return block;
    }

    private static long offset(Blocks blocks, long block, long index, long bucketBytes) {
        Token token = blocks.begin();
        try {
            return blocks.offset(OWNER, block, index, bucketBytes);
        } finally {
            blocks.end(token);
        }
    }

    @Test
    void aReservationOfALongIsUndoneInBlocksThatAreThereOnly() {
        GrowingBlocks blocks = GrowingWorld.blocks(self, LongBucket.SIZE);
        var table = new LongTable("map", self, blocks, null);
        MapClient client = MapClient.of(table);
        client.perform(put(KEY));
        long former = replaced(blocks, client);
        assertIsUndoneInBlocksThatAreThereOnly(table.writer.undoing, blocks, former, LongBucket.SIZE,
                table.writer.ownReservation, LongBucket.VOID);
    }

    @Test
    void aReservationOfABucketIsUndoneInBlocksThatAreThereOnly() {
        GrowingBlocks blocks = GrowingWorld.blocks(self, BUCKET.size);
        var tables = new BucketTable[1];
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, blocks,
                (name, participant, growing, bucket, hashing) -> tables[0] = new BucketTable(name, participant,
                        growing, bucket, hashing, null));
        client.perform(put(KEY));
        long former = replaced(blocks, client);
        assertIsUndoneInBlocksThatAreThereOnly(tables[0].writer.undoing, blocks, former, BUCKET.size,
                tables[0].writer.reserved(Bucket.FREE), Bucket.FREE);
    }

    @Test
    void whatIsReservedStaysInDoubtWhileTheProcessCannotPin() {
        EpochManager left = GrowingWorld.epochs(self, LongBucket.SIZE);
        left.close();
        var table = new LongTable("map", self, GrowingWorld.blocks(self, left, LongBucket.SIZE), null);
        int hold = reservations.hold(OWNER, 0);
        assertThat(reservations.undo(hold, OWNER, 0, table.writer.ownReservation, table.writer.undoing))
                .isEqualTo(Reservations.Undone.LATER);
        assertThat(reservations.inDoubt()).isEqualTo(1);
    }

    private void assertIsUndoneInBlocksThatAreThereOnly(Reservations.Undo undoing, Blocks blocks, long former,
            long bucketBytes, long reserved, long undone) {
        long there = offset(blocks, block(blocks), 1, bucketBytes);
        direct.writeWord(OWNER, there, reserved);
        assertThat(undoing.undo(OWNER, there, reserved)).isTrue();
        assertThat(direct.readWord(OWNER, there)).isEqualTo(undone);
        long gone = Block.offset(former) + bucketBytes;
        direct.writeWord(OWNER, gone, reserved);
        assertThat(undoing.undo(OWNER, gone, reserved)).isFalse();
        assertThat(direct.readWord(OWNER, gone)).as("is another's word now").isEqualTo(reserved);
    }

    /** Another thread has reserved the key in a block that has come to lie in the memory of the former one. */
    @Test
    void whatWasFoundIsUndoneInItsBlockOnly() {
        GrowingBlocks blocks = GrowingWorld.blocks(self, BUCKET.size);
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, blocks,
                DistributedMapSimulation.RIGHT);
        client.perform(put(KEY));
        long block = block(blocks);
        isGone = true;
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> client.perform(put(KEY)));
        assertThat(reservations.inDoubt()).isEqualTo(1);
        isGone = false;
        MapClient other = DistributedMapSimulation.client(WORDS, WORDS,
                Participants.amongTheLiving(direct), GrowingWorld.blocks(self, BUCKET.size),
                DistributedMapSimulation.RIGHT);
        assertThat(replaced(blocks, other)).isEqualTo(block);
        long another = Block.offset(block);
        long found = foundState();
        direct.writeWord(OWNER, another, found);
        direct.writeWord(OWNER, another + BUCKET.key, KEY);
        reservations.retryAll();
        assertThat(reservations.inDoubt()).isZero();
        assertThat(direct.readWord(OWNER, another)).isEqualTo(found);
    }

    /** The block's pieces are not at hand any more when the batch fails: another block has taken its place. */
    @Test
    void whatWasFoundIsUndoneLaterThoughThePiecesOfItsBlockAreForgotten() {
        EpochManager epochs = GrowingWorld.epochs(self, BUCKET.size);
        GrowingBlocks blocks = new EagerBlocks(self, epochs, GrowingWorld.headers(), BUCKET.size,
                new BlockRuns(self, BUCKET.size) {
                    @Override
                    Reserved reserve(int owner, long buckets) {
                        return reservePieces(owner, 2 * EagerBlocks.BUCKETS, 2);
                    }
                });
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, blocks,
                DistributedMapSimulation.RIGHT);
        client.perform(put(KEY));
        assertThat(Block.isWhole(block(blocks))).isFalse();
        MapClient other = DistributedMapSimulation.client(WORDS, WORDS, Participants.amongTheLiving(direct),
                GrowingWorld.blocks(self, epochs, BUCKET.size), DistributedMapSimulation.RIGHT);
        meanwhile = () -> replaced(blocks, other);
        isGone = true;
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> client.perform(put(KEY)));
        assertThat(reservations.inDoubt()).isEqualTo(1);
        isGone = false;
        reservations.retryAll();
        assertThat(reservations.inDoubt()).isZero();
        assertThat(client.perform(put(KEY))).as("has a value").isZero();
    }

    private long foundState() {
        return Bucket.READY + Bucket.reservation(self.rank(), self.incarnation());
    }

    /** Memory is missing when the batch has failed, and as long as nothing is undone. */
    @Test
    void whatWasFoundIsUndoneLaterThoughMemoryIsMissing() {
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, MapWorld.fixedBlocks(),
                DistributedMapSimulation.RIGHT);
        client.perform(put(KEY));
        isGone = true;
        missesMemory = true;
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> client.perform(put(KEY)));
        assertThat(reservations.inDoubt()).isEqualTo(1);
        isGone = false;
        reservations.retryAll();
        assertThat(reservations.inDoubt()).isZero();
        missesMemory = false;
        assertThat(client.perform(put(KEY))).as("has a value").isZero();
    }

    @Test
    void noLeaseLooksLikeAReservedBucket() {
        for (int attempt = 0; attempt < 64; attempt++) {
            assertThat(Lease.of(1, 1, reservations.nextAttempt()) & 1).isZero();
        }
        assertThat(LongBucket.reserved(1, 1) & 1).isOne();
        assertThat(Bucket.reserved(Bucket.FREE, 1, 1) & 1).isOne();
        assertThat(foundState() & 1).isOne();
    }
}
