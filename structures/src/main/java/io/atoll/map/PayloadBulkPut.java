package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of several keys of other ranks in {@link Payload}s. Those of a wave are allocated first, and written by
 * the round that looks for their buckets. A bucket may refer to a payload already. The next round then reads as much of
 * it as tells whether it has the key. If it has another one, the key is left to the caller. So are the keys of an owner
 * that has no room.
 *
 * <p>When a wave ends, it retires the payloads that its buckets referred to before. It frees those that it has written
 * and that no bucket has come to refer to. If their write may still arrive, since a connection broke, it retires them:
 * the pin of the wave lasts as long as they may. If a batch has not reached some owner, the keys of all payloads that
 * it has written are left to the caller.
 *
 * <p>If the answer of an exchange is lost, the bucket most often tells if the exchange took place. If not, the payload
 * that it offered stays allocated, and so does the one before.
 */
final class PayloadBulkPut<V> extends BulkPut<PayloadPut<V>> {

    private final PayloadEntries<?, V> entries;
    private final SeveralKeys<PayloadPut<V>> puts;
    private final BitSet full = new BitSet(); // owners without room
    private final BitSet silent = new BitSet(); // owners that have not told what is stored, and are asked no more
    private @Nullable Token pinned; // of the last wave

    PayloadBulkPut(PayloadEntries<?, V> entries, SeveralKeys<PayloadPut<V>> puts, LostOwners lost) {
        Bucket bucket = entries.table.reader.bucket;
        super(entries.table, puts, (put, batch, position) -> {
            batch.setWord(position + bucket.key, put.key.word());
            batch.setWord(position + bucket.value, put.reference);
        }, true, lost);
        this.entries = entries;
        this.puts = puts;
    }

    /** Stores the values. Returns the numbers of the keys that are left. */
    int[] putAll() {
        int[] left = run();
        entries.payloads.reclaimIfMany(pinned);
        return left;
    }

    @Override
    void prepareTogether(int[] keys, int number) {
        Map<Integer, List<PayloadPut<V>>> byOwner = new TreeMap<>();
        for (int place = 0; place < number; place++) {
            PayloadPut<V> put = puts.key(keys[place]);
            if (!full.get(put.key.owner())) {
                put.payload = Payload.of(put.key.key(), entries.values.encode(put.value));
                byOwner.computeIfAbsent(put.key.owner(), _ -> new ArrayList<>()).add(put);
            }
        }
        byOwner.forEach((owner, several) -> lost.run(owner, () -> allocate(owner, several)));
    }

    private void allocate(int owner, List<PayloadPut<V>> several) {
        try {
            entries.payloads.allocate(owner, several);
        } catch (SegmentFullException noRoom) {
            full.set(owner); // a put of one key has room made, or says so
        }
    }

    @Override
    boolean isPrepared(int key) {
        return puts.key(key).reference != PayloadReference.NONE;
    }

    @Override
    long writePrepared(Batch batch, int key, long begin, long position) {
        PayloadPut<V> put = puts.key(key);
        Payload payload = Objects.requireNonNull(put.payload);
        put.payload = null;
        boolean isTogether = payload.bytes() <= Batch.THREAD_BUFFER_BYTES - begin;
        long at = position;
        if (isTogether && at + payload.bytes() > Batch.THREAD_BUFFER_BYTES) {
            completePrepared(batch);
            at = begin;
        }
        long end = entries.payloads.write(batch, put.key.owner(), put.reference, payload, at);
        if (isTogether) {
            isWriting(key);
        }
        return end;
    }

    @Override
    long bytesToCheck(Batch batch, int key, long bucket) {
        PayloadPut<V> put = puts.key(key);
        long living = entries.table.reader.living(batch, bucket);
        put.former = living == BucketReader.NONE ? PayloadReference.NONE : batch.word(living);
        return bytesToCheck(put);
    }

    private long bytesToCheck(PayloadPut<V> put) {
        return Math.min(PayloadReference.bytes(put.former), Payload.bytesToKey(put.key.key()));
    }

    @Override
    void readToCheck(Batch batch, int key, long position) {
        PayloadPut<V> put = puts.key(key);
        batch.read(put.key.owner(), PayloadReference.offset(put.former), position, bytesToCheck(put));
    }

    @Override
    boolean passes(Batch batch, int key, long position) {
        PayloadPut<V> put = puts.key(key);
        return !PayloadReference.hasSeveral(put.former)
                && Payload.beginsWith(batch.buffer(), position, put.key.key());
    }

    @Override
    void conclude(int first, int end, @Nullable Token token, @Nullable Throwable failure) {
        pinned = token;
        for (int key = first; key < end; key++) {
            if (isUnanswered(key) && (failure == null || failure instanceof FabricException)) {
                ask(key, failure); // after an error there may be no memory to ask
            }
            if (isStored(key) && puts.key(key).former != PayloadReference.NONE) {
                retire(puts.key(key), puts.key(key).former, token, failure);
            }
        }
        int[] unused = IntStream.range(first, end).filter(this::isUnused).toArray();
        if (failure instanceof FabricException) {
            retireAll(IntStream.of(unused), token, failure);
            return;
        }
        retireAll(IntStream.of(unused).filter(this::isLate), token, failure);
        int[] free = IntStream.of(unused).filter(key -> !isLate(key)).toArray();
        for (int owner : IntStream.of(free).map(puts::owner).distinct().toArray()) {
            discard(owner, IntStream.of(free)
                    .filter(key -> puts.owner(key) == owner)
                    .mapToLong(key -> PayloadReference.offset(puts.key(key).reference))
                    .toArray(), failure);
        }
    }

    /** Lets the bucket tell if the key is stored. */
    private void ask(int key, @Nullable Throwable failure) {
        PayloadPut<V> put = puts.key(key);
        int owner = put.key.owner();
        if (silent.get(owner)) {
            return;
        }
        try {
            Offer offer = Offer.ask(entries.table, owner, bucketOf(key), stateOf(key), put.reference);
            if (offer != Offer.UNKNOWN) {
                decide(key, offer == Offer.TAKEN);
            }
        } catch (FabricException unknown) {
            silent.set(owner);
            goOn(owner, unknown, failure);
        }
    }

    private boolean isUnused(int key) {
        return puts.key(key).reference != PayloadReference.NONE && !isStored(key) && !isInDoubt(key);
    }

    /** Retires the keys' payloads, but for those whose segment is lost: in the new one, others lie in their places. */
    private void retireAll(IntStream keys, @Nullable Token token, @Nullable Throwable failure) {
        Participant self = entries.table.participant();
        keys.filter(key -> !self.latest().lostSince(self).contains(puts.owner(key)))
                .forEach(key -> retire(puts.key(key), puts.key(key).reference, token, failure));
    }

    private void retire(PayloadPut<V> put, long reference, @Nullable Token token, @Nullable Throwable failure) {
        try {
            entries.payloads.retireReplaced(Objects.requireNonNull(token), put.key.owner(), reference);
        } catch (FabricException notRetired) {
            goOn(put.key.owner(), notRetired, failure);
        }
    }

    private void discard(int owner, long[] offsets, @Nullable Throwable failure) {
        try {
            entries.payloads.discard(owner, offsets);
        } catch (FabricException notFreed) {
            goOn(owner, notFreed, failure);
        }
    }

    /** Keeps what has gone wrong at an owner behind a failure, or until the values of other owners are stored. */
    private void goOn(int owner, FabricException problem, @Nullable Throwable failure) {
        if (failure != null) {
            failure.addSuppressed(problem);
        } else if (problem instanceof RankUnreachableException unreachable) {
            lost.add(owner, unreachable);
        } else {
            throw problem;
        }
    }
}
