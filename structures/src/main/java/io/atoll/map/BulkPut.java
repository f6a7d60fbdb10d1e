package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import io.atoll.world.Reservations;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of several keys of one owner. It takes three round trips for as many keys as a batch has atomics. The
 * first looks for the buckets, the second reserves them, and the third writes them. A key is left to be stored alone in
 * two cases: another thread holds its bucket, or the bucket is no longer as found. All keys are left if a verb is no
 * round trip.
 *
 * @param <T> a key with its value
 */
final class BulkPut<T> {

    /** Puts an entry into the buffer as it stands in a bucket. */
    public interface Encoder<T> {
        void encode(T entry, Batch batch, long position);
    }

    /** A bucket that is to become an entry's, as it was found. */
    private record Claim(int key, long offset, long state) {}

    /** A claim whose bucket no other thread of this process reserves meanwhile, once the claim has a hold. */
    private static final class Held {

        private final Claim claim;
        private int hold = Reservations.NOT_HELD;

        private Held(Claim claim) {
            this.claim = claim;
        }
    }

    private final BucketTable table;
    private final Reservations reservations;
    private final int owner;
    private final SeveralKeys<T> entries;
    private final Encoder<T> encoder;
    private final List<Integer> left = new ArrayList<>();

    public BulkPut(BucketTable table, int owner, SeveralKeys<T> entries, Encoder<T> encoder) {
        this.table = table;
        this.reservations = table.participant().reservations();
        this.owner = owner;
        this.entries = entries;
        this.encoder = encoder;
    }

    /** Returns the entries that are left. */
    public List<T> run(@Nullable Token token) {
        if (table.endpoint.executesAtOnce(owner)) {
            return entries.keys();
        }
        int most = Math.clamp((Batch.THREAD_BUFFER_BYTES - table.reader.read) / table.reader.bucket.size, 1,
                Batch.ATOMICS);
        for (int from = 0; from < entries.count(); from += most) {
            long first = table.firstToChange(owner, token);
            int begin = from;
            List<Claim> claims = new ArrayList<>();
            new BulkFind(table.reader, owner, entries.part(from, Math.min(entries.count(), from + most)),
                    (key, batch, found) -> claim(begin + key, batch, found, claims)).run();
            for (Held stored : store(claims)) {
                Claim claim = stored.claim;
                table.count(owner, first, entries.hash(claim.key), claim.offset,
                        BucketTable.counted(claim.state, Change.Outcome.STORE));
            }
        }
        return left.stream().map(entries.keys()::get).toList();
    }

    private void claim(int key, Batch batch, long found, List<Claim> claims) {
        long state = found < 0 ? Bucket.FREE : BucketReader.located(batch);
        if (found == BucketReader.FULL || Bucket.kind(state) == Bucket.RESERVED) {
            left.add(key);
        } else {
            claims.add(new Claim(key, found < 0 ? ~found : found, state));
        }
    }

    /** Stores the entries of these claims. Returns the claims whose entries were stored. */
    private List<Held> store(List<Claim> claims) {
        List<Held> all = claims.stream().map(Held::new).toList();
        List<Held> open = new ArrayList<>(all); // claims that may be held, and reserved
        try (Batch batch = table.endpoint.batch(owner)) {
            open.removeIf(each -> !holds(each));
            List<Held> held = List.copyOf(open);
            held.forEach(each -> batch.compareAndExchange(owner, each.claim.offset, each.claim.state,
                    table.writer.reserved(each.claim.state)));
            batch.complete();
            long[] witnesses = IntStream.range(0, held.size()).mapToLong(batch::result).toArray();
            for (int index = 0; index < witnesses.length; index++) {
                write(batch, held.get(index), witnesses[index], index, open);
            }
            batch.complete();
            open.forEach(each -> reservations.release(each.hold));
            return open;
        } catch (Throwable failure) {
            // This allocates nothing, as far as a bucket is undone at once.
            for (int index = 0; index < open.size(); index++) {
                undo(open.get(index));
            }
            throw failure;
        }
    }

    private void undo(Held held) {
        if (held.hold != Reservations.NOT_HELD) {
            Claim claim = held.claim;
            reservations.undo(held.hold, owner, claim.offset, table.writer.reserved(claim.state), table.writer.undoing);
        }
    }

    /**
     * Tries to hold a claim's bucket. It never waits, because others may hold what is missing here, and wait for what
     * is held here.
     */
    private boolean holds(Held held) {
        held.hold = reservations.tryHold(owner, held.claim.offset);
        if (held.hold == Reservations.NOT_HELD) {
            left.add(held.claim.key);
        }
        return held.hold != Reservations.NOT_HELD;
    }

    private void write(Batch batch, Held held, long witness, int index, List<Held> open) {
        Claim claim = held.claim;
        if (witness == claim.state) {
            long position = table.reader.read + index * table.reader.bucket.size;
            encoder.encode(entries.keys().get(claim.key), batch, position);
            table.writer.publish(batch, owner, claim.offset, claim.state, position);
        } else {
            open.remove(held);
            reservations.release(held.hold);
            left.add(claim.key);
        }
    }
}
