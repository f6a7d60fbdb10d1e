package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.SegmentLostException;
import io.atoll.failure.StructureName;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureListener.Happening;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives each rank a block that is replaced when it gets full, while all others go on ({@link Migration}). The next
 * block is twice as large, or as large without what was removed.
 *
 * <p>A process remembers each rank's present block, so that an operation need not ask for it. The version tells if that
 * block has been replaced since. An operation is pinned first, and then looks at the version. If that is the one it
 * knows, the blocks that it knows stay as long as it is pinned. To look at the version is a load of the own CPU. The
 * numbers are those of the comments:
 * <pre>
 *   a process replaces a block                      an operation
 *   --------------------------                      ------------
 *   moves all buckets to the next block             pins an epoch
 *   (3) commits the runs of the block               (1) loads the version
 *   puts the next block in its place                (5) if it has changed: reads the present block and its table
 *   raises the version at all ranks                 uses the block
 *   (4) commits the runs of the next block          unpins the epoch
 *   (2) retires the block
 *   (6) forgets it: sets "previous" to 0
 * </pre>
 * If the process dies at any step, the next operation that changes something at this rank goes on from there.
 */
class GrowingBlocks extends Blocks implements StructureLocator.Occupant {

    /** Bytes of the header at each rank, zeroed at first. */
    public static final long HEADER_BYTES = BlockHead.HEADER_BYTES;

    private static final View UNKNOWN = new View(-1, Block.NONE, null, Block.NONE, null, Block.NONE);

    // A block is replaced when more than FULL of its buckets have a key. The next one is larger if more than HALF_FULL
    // of its buckets have a living one.
    private static final double FULL = 0.8;
    private static final double HALF_FULL = 0.4;

    /**
     * Attempts to advance the epoch after a block was retired. It is retired in the next epoch, and freed two epochs
     * later: that takes three. One more is for a reader that was in the way.
     */
    private static final int ATTEMPTS_TO_RECLAIM = 4;

    /**
     * A rank's blocks as this process knows them.
     *
     * @param pieces of the current block; null if that is whole
     * @param next the block that takes the current one's place; none as long as this process knows of none
     * @param nextPieces of the next block; null if that is whole, or none
     * @param previous a block that waits to be retired
     */
    private record View(long version, long current, @Nullable Pieces pieces, long next, @Nullable Pieces nextPieces,
            long previous) {}

    private final StructureName structure;
    final Endpoint endpoint;
    private final Participant self;
    private final EpochManager epochs;
    private final LocalMemory own;
    private final long[] headers;
    private final long firstBuckets;
    private final long bucketBytes;
    private final BlockRuns runs;
    private final Migration migration;
    private final OnLoss onLoss;
    private final View[] views; // threads that race for an element find the same
    private final LackOfRoom[] lacks;
    private final MissingRank[] missing; // by owner
    private final AtomicInteger attemptsToReclaim = new AtomicInteger();

    /**
     * @param structure the map, for failures
     * @param headers where each rank's header is in its segment
     * @param firstBuckets of the first block
     */
    public GrowingBlocks(StructureName structure, Participant self, EpochManager epochs, long[] headers,
            long firstBuckets, long bucketBytes, OnLoss onLoss) {
        this(structure, self, epochs, headers, firstBuckets, bucketBytes, new BlockRuns(self, bucketBytes),
                new Migration(self), onLoss);
    }

    GrowingBlocks(StructureName structure, Participant self, EpochManager epochs, long[] headers, long firstBuckets,
            long bucketBytes, BlockRuns runs, Migration migration, OnLoss onLoss) {
        this.onLoss = onLoss;
        this.structure = structure;
        this.self = self;
        this.endpoint = self.endpoint();
        this.epochs = epochs;
        this.own = endpoint.fabric().local();
        this.headers = headers;
        this.firstBuckets = firstBuckets;
        this.bucketBytes = bucketBytes;
        this.runs = runs;
        this.migration = migration;
        this.views = new View[headers.length];
        Arrays.fill(views, UNKNOWN);
        this.lacks = new LackOfRoom[headers.length];
        Arrays.setAll(lacks, _ -> new LackOfRoom());
        this.missing = new MissingRank[headers.length];
        Arrays.setAll(missing, _ -> new MissingRank());
    }

    @Override
    public final int ranks() {
        return headers.length;
    }

    @Override
    public final boolean canGrow() {
        return true;
    }

    // --- operations ---

    @Override
    public @Nullable Token begin() {
        try {
            return epochs.pinWithRoom();
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    @Override
    public final void end(@Nullable Token token) {
        if (token != null) {
            token.unpin();
            if (attemptsToReclaim.getPlain() > 0) {
                reclaim();
            }
        }
    }

    private void reclaim() {
        if (attemptsToReclaim.getAndUpdate(attempts -> Math.max(0, attempts - 1)) > 0) {
            epochs.reclaimByTheWay(null);
        }
    }

    @Override
    public final long first(int owner) {
        return view(owner).current;
    }

    private View view(int owner) {
        View known = views[owner];
        return known.version == version() ? known : refresh(owner);
    }

    /**
     * Returns the version. (1) after the pin's fence. If the operation finds the version that it knows, it was pinned
     * before any block that it knows is retired (2).
     */
    long version() {
        return own.getAcquire(headers[self.rank()] + BlockHead.VERSION);
    }

    @Override
    public final long firstIfAny(int owner) {
        View known = views[owner];
        if (known.version == version()) {
            return known.current;
        }
        long version = version();
        long current = current(owner);
        return current == Block.NONE ? Block.NONE : see(owner, version, current).current;
    }

    private View refresh(int owner) {
        long version = version();
        long current = current(owner);
        return see(owner, version, current == Block.NONE ? publishFirst(owner) : current);
    }

    private long current(int owner) {
        return endpoint.readWord(owner, headers[owner] + BlockHead.CURRENT);
    }

    private View see(int owner, long version, long current) {
        long previous = endpoint.readWord(owner, BlockHead.of(current) + BlockHead.PREVIOUS);
        // (5) while the operation is pinned: the block stays, and so does its table.
        View view = new View(version, current, Pieces.read(endpoint, owner, current), Block.NONE, null, previous);
        views[owner] = view;
        return view;
    }

    @Override
    public final long firstToChange(int owner, @Nullable Token token, Mover mover) {
        View view = view(owner);
        if (token == null || view.next == Block.NONE && view.previous == Block.NONE) {
            return view.current;
        }
        try {
            // A helper may run an application's hash functions and observers, which may use maps.
            endpoint.keepingScratch(() -> help(owner, view, mover));
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
        return view(owner).current;
    }

    @Override
    public final long firstAtRest(int owner) {
        View known = views[owner];
        return known.version == version() && known.next == Block.NONE && known.previous == Block.NONE
                ? known.current
                : Block.NONE;
    }

    @Override
    public final EpochManager epochs() {
        return epochs;
    }

    private void help(int owner, View view, Mover mover) {
        if (view.previous != Block.NONE) {
            if (!missing[owner].skips()) {
                retirePrevious(owner, view.current);
            }
        } else if (migration.help(owner, view.current, view.next, mover)) {
            // (3) before "current" changes: a first block's runs are announced by that word.
            keep(owner, view.current);
            long witness = endpoint.compareAndExchange(owner, headers[owner] + BlockHead.CURRENT, view.current,
                    view.next);
            // Forgets the view even if some rank cannot be told now: otherwise each change would come here again.
            views[owner] = UNKNOWN;
            if (witness == view.current) {
                tellGrowth(owner, Block.buckets(view.current), Block.buckets(view.next));
            }
            retirePrevious(owner, view.next);
        }
    }

    /**
     * Tells listeners that a block has grown. Exactly one process replaces a block for good, and that one tells. A
     * block that was replaced to drop what was removed has not grown.
     */
    private void tellGrowth(int owner, long from, long to) {
        if (to > from) {
            self.tell(Happening.GROWN, name(), owner, () -> "from " + from + " to " + to + " buckets");
        }
    }

    // --- the first block ---

    /**
     * Puts the first block where there is none. Returns the block that is there then. The map begins smaller where
     * there is no room for the block that it was opened with: what it was opened with stays for good, and it grows.
     */
    private long publishFirst(int owner) {
        long buckets = firstBuckets;
        while (true) {
            try {
                return publish(owner, headers[owner] + BlockHead.CURRENT, buckets, Block.NONE);
            } catch (SegmentFullException full) {
                do {
                    buckets /= 2;
                } while (runs.bytes(buckets) > full.freeBytes() && buckets > 0);
                if (buckets < Placement.FEWEST_BUCKETS) {
                    throw full;
                }
            }
        }
    }

    // --- the next block ---

    @Override
    public final long next(int owner, long block) {
        View view = views[owner];
        return view.current == block && view.next != Block.NONE ? view.next : findNext(owner, block);
    }

    private long findNext(int owner, long block) {
        long next = endpoint.readWord(owner, BlockHead.of(block) + BlockHead.NEXT);
        View view = views[owner];
        if (next != Block.NONE && view.current == block) {
            views[owner] = new View(view.version, block, view.pieces, next, Pieces.read(endpoint, owner, next),
                    view.previous);
        }
        return next;
    }

    @Override
    final @Nullable Pieces piecesOf(int owner, long block) {
        View view = views[owner];
        if (view.current == block) {
            return view.pieces;
        }
        return view.next == block ? view.nextPieces : Pieces.read(endpoint, owner, block);
    }

    @Override
    public final void grow(int owner, long first) {
        long last = first;
        for (long next = next(owner, last); next != Block.NONE; next = next(owner, last)) {
            last = next;
        }
        long buckets = Block.buckets(last);
        long counts = endpoint.readWord(owner, BlockHead.of(last) + BlockHead.COUNTS);
        boolean isLarger = BlockHead.living(last, counts) > buckets * HALF_FULL;
        publishIfWorthATry(owner, BlockHead.of(last) + BlockHead.NEXT, isLarger ? 2 * buckets : buckets, last);
        findNext(owner, last);
    }

    @Override
    public final boolean growsIfThereIsRoom(int owner, long first) {
        return !lacks[owner].skips() && super.growsIfThereIsRoom(owner, first);
    }

    private void publishIfWorthATry(int owner, long place, long buckets, long previous) {
        LackOfRoom lack = lacks[owner];
        long roomMade = self.heap().roomMade(owner);
        SegmentFullException lasting = lack.lasting(roomMade, buckets);
        if (lasting != null && !epochs.relieve()) {
            throw lasting.again();
        }
        try {
            publish(owner, place, buckets, previous);
            lack.ended();
        } catch (SegmentFullException full) {
            lack.failed(roomMade, buckets, full);
            throw full;
        }
    }

    /**
     * Puts a new block where there is none. Returns the block that is there then. A maker that dies in between leaves
     * runs that say where they would be known. The process that notices the death commits them if they are known there;
     * else it takes them back. So no process may {@linkplain #keep change that word} before the runs are committed. A
     * maker that lives and fails {@linkplain BlockRuns#withdraw does the same} itself.
     */
    private long publish(int owner, long place, long buckets, long previous) {
        try {
            return reserveAndPublish(owner, place, buckets, previous);
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    private long reserveAndPublish(int owner, long place, long buckets, long previous) {
        BlockRuns.Reserved reserved = runs.reserve(owner, buckets);
        try {
            endpoint.writeWord(owner, BlockHead.of(reserved.block()) + BlockHead.PREVIOUS, previous);
            runs.announce(owner, reserved.block(), place);
        } catch (Throwable failure) {
            runs.free(owner, reserved);
            throw failure;
        }
        return makeKnown(owner, reserved, place);
    }

    private long makeKnown(int owner, BlockRuns.Reserved reserved, long place) {
        long block = reserved.block();
        long witness;
        try {
            witness = endpoint.compareAndExchange(owner, place, Block.NONE, block);
            if (witness == Block.NONE) {
                runs.commit(owner, block);
                return block;
            }
        } catch (Throwable failure) {
            runs.withdraw(owner, reserved, place);
            throw failure;
        }
        runs.free(owner, reserved);
        return witness;
    }

    /**
     * Commits a block's runs: from now on the block stays, whichever rank dies. Called before the word by which the
     * block became known changes or goes away.
     */
    void keep(int owner, long block) {
        runs.commit(owner, block);
    }

    // --- the previous block ---

    /**
     * Retires the block that this one has replaced as the present one, unless that has been done. All operations that
     * come by do so, and all do the same. The word that names the previous block goes away last: if a process dies
     * before, the next one goes on.
     */
    private void retirePrevious(int owner, long block) {
        long place = BlockHead.of(block) + BlockHead.PREVIOUS;
        long previous = endpoint.readWord(owner, place);
        if (previous == Block.NONE) {
            forgetPrevious(owner, block);
            return;
        }
        if (isMissing(owner) || !tellAll(owner)) {
            return;
        }
        // (4) before the previous block is freed: this one's runs are announced by "next" in its head.
        keep(owner, block);
        retire(owner, previous, place);
    }

    /**
     * Returns true if the rank that was missing at the last attempt is missing still. It is asked first, because each
     * attempt raises the versions of others, which then all look at all blocks anew. Cost: R if a rank was missing.
     */
    private boolean isMissing(int owner) {
        MissingRank known = missing[owner];
        int rank = known.rank();
        if (rank == MissingRank.NONE) {
            return false;
        }
        try {
            endpoint.readWord(rank, headers[rank] + BlockHead.VERSION);
            return false;
        } catch (RankUnreachableException gone) {
            if (!known.isNeeded() && isGone(gone, owner)) {
                return false;
            }
            known.failed(rank, known.isNeeded());
            return true;
        }
    }

    /**
     * Returns true if a rank that cannot be told certainly remembers no block. Its segment may be lost. A process that
     * has the rank since then cannot have opened a map that has lost a part. The exception is a map that begins empty,
     * whose blocks are about to be found anew.
     */
    private boolean isGone(RankUnreachableException unreachable, int owner) {
        int rank = unreachable.rank();
        int until = unreachable instanceof SegmentLostException lost && onLoss == OnLoss.FAIL
                ? lost.born() - 1
                : Liveness.EVERY_INCARNATION;
        return rank != owner && self.liveness().isFenced(rank, until, owner);
    }

    /** Changes the view itself, because the version does not tell of this: it is raised before. */
    private void forgetPrevious(int owner, long block) {
        missing[owner].ended();
        View view = views[owner];
        if (view.current == block) {
            views[owner] = new View(view.version, block, view.pieces, view.next, view.nextPieces, Block.NONE);
        }
    }

    void retire(int owner, long previous, long place) {
        try {
            // (2) after the version was raised at all ranks.
            epochs.retireRuns(owner, epoch -> runs.retire(owner, previous, place, epoch));
            takeAway(owner, previous, place);
            missing[owner].ended();
        } catch (RankUnreachableException gone) {
            // The rank that knows the epoch is not needed for anything else: another change tries again.
            if (gone.rank() == owner) {
                throw gone;
            }
            missing[owner].failed(gone.rank(), true);
        }
    }

    final void takeAway(int owner, long previous, long place) {
        // (6) last: until then the block is not freed, and the next operation that changes something finds it.
        if (endpoint.compareAndExchange(owner, place, previous, Block.NONE) == previous) {
            attemptsToReclaim.set(ATTEMPTS_TO_RECLAIM);
        }
    }

    /**
     * Raises the version at all ranks. Returns false if a rank that lives, or may live, cannot be told: another change
     * tries again. A process that has ended remembers nothing.
     */
    private boolean tellAll(int owner) {
        for (int rank = 0; rank < headers.length; rank++) {
            try {
                tell(rank);
            } catch (RankUnreachableException gone) {
                if (!isGone(gone, owner)) {
                    missing[owner].failed(rank, false);
                    return false;
                }
            }
        }
        return true;
    }

    void tell(int rank) {
        endpoint.getAndAdd(rank, headers[rank] + BlockHead.VERSION, 1);
    }

    // --- counting ---

    @Override
    public final void count(int owner, long first, long offset, long hash, long change) {
        long block = counting(owner, first, offset, hash);
        if (block != Block.NONE) {
            long before = endpoint.getAndAdd(owner, BlockHead.of(block) + BlockHead.COUNTS, change);
            counted(owner, block, before, change);
        }
    }

    @Override
    public final long counting(int owner, long first, long offset, long hash) {
        long block = first;
        while (!Pieces.contain(pieces(owner, block), block, offset, bucketBytes)) {
            block = next(owner, block);
        }
        return BlockHead.isCounted(block, hash) ? block : Block.NONE;
    }

    @Override
    public final void counted(int owner, long block, long before, long change) {
        if (change >= CLAIMED && isFull(block, before + change) && next(owner, block) == Block.NONE) {
            // If there is no room for another block, there still is some in this one. An insertion that finds none
            // fails.
            growsIfThereIsRoom(owner, block);
        }
    }

    @Override
    public final boolean isCounted(int owner, long first, long offset, long hash) {
        // A bucket in the next block is counted there, as that block says.
        return BlockHead.isCounted(first, hash)
                || !Pieces.contain(pieces(owner, first), first, offset, bucketBytes);
    }

    // --- failures ---

    @Override
    public final String name() {
        return structure.name();
    }

    @Override
    public final boolean occupies(int rank, long offset) {
        View view = views[rank];
        return hasByte(view.pieces, view.current, offset) || hasByte(view.nextPieces, view.next, offset)
                || hasByte(null, view.previous, offset);
    }

    /** Returns true if the offset lies in the block's buckets or in its head. */
    private boolean hasByte(@Nullable Pieces pieces, long block, long offset) {
        return block != Block.NONE && (BlockHead.of(block) <= offset && offset < Block.offset(block)
                || Pieces.contain(pieces, block, offset, bucketBytes));
    }

    boolean isFull(long block, long counts) {
        return BlockHead.claimed(block, counts) > Block.buckets(block) * FULL;
    }

    @Override
    public final OptionalLong estimate() {
        Token token = epochs.pin();
        try {
            long living = 0;
            for (int owner = 0; owner < ranks(); owner++) {
                living += Math.max(0, living(owner));
            }
            return OptionalLong.of(living);
        } finally {
            token.unpin();
        }
    }

    private long living(int owner) {
        long living = 0;
        for (long block = firstIfAny(owner); block != Block.NONE; block = next(owner, block)) {
            living += BlockHead.living(block, endpoint.readWord(owner, BlockHead.of(block) + BlockHead.COUNTS));
        }
        return living;
    }
}
