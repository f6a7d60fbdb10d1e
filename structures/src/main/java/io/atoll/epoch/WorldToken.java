package io.atoll.epoch;

import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A token of an {@link EpochManager}: a place in this rank's table, and the bag that it fills. Both are in this rank's segment, so that pinning needs no verb, and so that
 * what a dead rank has retired is found when it comes back. What a test overrides to break the protocol is not private.
 */
class WorldToken extends Token {

    /** After a bag was asked for in vain, so many objects are retired without one. */
    private static final int CHAINED_AT_ONCE = 60;

    private final Reclamation reclamation;
    final LocalMemory memory;
    private final int index;
    final long place;
    private final long cachedEpoch;
    private final int reclaimEvery;
    private final int bagCapacity;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private @Nullable LentTokens lender; // of one that threads borrow
    private int lentPlace; // there
    private long pins;
    private long bag; // 0 if there is none
    private int objects; // in the bag
    private final BagEntries entries = new BagEntries();
    private long bagBytes; // of the objects in the bag, as far as it was told
    private int retirements; // since it was last tried to reclaim
    private boolean isTimeToReclaim; // because of the bytes in limbo
    private boolean isTimeToTry; // because of either, after the last unpin
    private final LongSupplier inTime = this::reclaimInTime; // made before it is needed, when there may be no memory
    private final LongSupplier byTheWay = this::reclaim;
    private int chained; // of the next objects that are not to ask for a bag
    private int renewals; // of the parts that the bag was looked through for

    WorldToken(Reclamation reclamation, int index) {
        this.reclamation = reclamation;
        this.memory = reclamation.memory();
        this.index = index;
        this.place = reclamation.block() + EpochBlock.token(index);
        this.cachedEpoch = reclamation.block() + EpochBlock.CACHED_EPOCH;
        this.reclaimEvery = reclamation.settings().reclaimEvery();
        this.bagCapacity = reclamation.bagCapacity();
        this.renewals = reclamation.renewals();
    }

    /** To be called before the first pin, so that no pin looks like one of the token that had the place before. */
    final void countFrom(long formerPins) {
        pins = formerPins;
    }

    /** How often it has been pinned, together with those that had its place before. */
    final long pins() {
        return pins;
    }

    @Override
    protected void enter() {
        // A cache that lags, or an epoch that ends right now, makes this token hold the epoch for longer than need be: never too short. So the load is in no order but that of the fence
        // that follows.
        try {
            announce(memory.get(cachedEpoch));
        } catch (VirtualMachineError | LinkageError notPinned) {
            withdraw();
            throw notPinned;
        }
    }

    final void announce(long epoch) {
        memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.pinned(epoch, ++pins));
        // The store before the first load under it: an advancer that reads this token too early to see it has read an epoch that ends, at the latest, one before what
        // this thread can still find is freed.
        memory.fullFence();
    }

    @Override
    protected final void leave() {
        try {
            withdraw();
            if (isTimeToTry) {
                isTimeToTry = false;
                Unasked.run(inTime);
            }
        } catch (VirtualMachineError | LinkageError error) {
            Aftermath.warn("its epoch is left in a second attempt", error);
            withdraw();
        } finally {
            giveBack();
        }
    }

    /** To whoever has lent it, if anybody has, and if it is not pinned. */
    final void giveBack() {
        if (lender != null && !isPinned()) {
            lender.takeBack(this, lentPlace);
        }
    }

    private long reclaimInTime() {
        boolean isMuch = isTimeToReclaim;
        isTimeToReclaim = false;
        long freed = reclaim();
        return isMuch ? freed + reclamation.reclaimAll() : freed;
    }

    final void lentBy(LentTokens tokens, int lenderPlace) {
        lender = tokens;
        lentPlace = lenderPlace;
    }

    /** Release: every load under the pin comes before. */
    void withdraw() {
        memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.UNPINNED);
    }

    @Override
    protected final void add(long pointer, long bytes) {
        forgetLost();
        if (hasRoom()) {
            long entry = bag + Bag.entry(objects);
            memory.setRelease(entry + Bag.POINTER, pointer);
            memory.setRelease(entry + Bag.OBJECT_BYTES, bytes);
            // Counted last: of an object that is not counted nobody has been told that it is retired.
            memory.setRelease(bag + Bag.OBJECTS, objects + 1);
            objects++;
            bagBytes += bytes;
        } else {
            reclamation.limbo().chain(pointer, bytes);
            isTimeToReclaim |= reclamation.isTimeToReclaim(bytes);
        }
        retirements++;
        if (isFull() || reclamation.isHeavy(bagBytes)) {
            sealIfPossible();
        }
        isTimeToTry = isTimeToReclaim || reclaimEvery > 0 && retirements >= reclaimEvery;
    }

    /** What is in the bag of a segment that was lost since it was looked through is lost. */
    void forgetLost() {
        int present = reclamation.renewals();
        if (renewals != present) {
            for (int at = 0; at < objects; at++) {
                long entry = bag + Bag.entry(at) + Bag.POINTER;
                int owner = GlobalPointer.rankOf(memory.get(entry));
                if (reclamation.lastLoss(owner) > renewals) {
                    memory.setRelease(entry, Bag.lost(owner));
                }
            }
            renewals = present;
        }
    }

    final boolean isLent() {
        return lender != null;
    }

    /** Whether there is a bag with room for one more. */
    private boolean hasRoom() {
        if (isFull()) {
            // It could not be handed over when it became full: the rank that knows the epoch was not there.
            sealIfPossible();
        }
        if (bag == 0 && --chained < 0) {
            bag = reclamation.openBag(place);
            chained = bag == 0 ? CHAINED_AT_ONCE : 0;
        }
        return bag != 0 && !isFull();
    }

    private boolean isFull() {
        return objects == bagCapacity;
    }

    private void sealIfPossible() {
        try {
            seal();
        } catch (FabricException | VirtualMachineError | LinkageError notNow) {
            // The object is retired all the same; who comes next with one finds the bag full, and seals it first.
        }
    }

    /**
     * Hands the bag over to limbo. Pinned, so that the bag cannot be freed, and be another token's, before this one has let go of it.
     */
    private void seal() {
        if (objects > 0) {
            forgetLost();
            long sealedBytes = bagBytes;
            reclamation.limbo().push(bag, sealingEpoch(), entries);
            letGo();
            isTimeToReclaim |= reclamation.isTimeToReclaim(sealedBytes);
        }
    }

    /** First what no error can keep from being done: a bag that is in limbo must not be filled any more. */
    private void letGo() {
        bag = 0;
        objects = 0;
        bagBytes = 0;
        memory.setRelease(place + EpochBlock.BAG, 0);
    }

    /** The epoch of the world, not the cached one, and read after everything in the bag was unlinked. Cost: R. */
    long sealingEpoch() {
        memory.fullFence();
        return reclamation.epoch().read();
    }

    /** For its thread, or for one that acts in its place while that does nothing. */
    final void sealPinned() {
        boolean wasPinned = isPinned();
        if (!wasPinned) {
            enter();
        }
        try {
            seal();
        } finally {
            if (!wasPinned) {
                withdraw();
            }
        }
    }

    @Override
    protected final long reclaim() {
        retirements = 0;
        isTimeToTry = false;
        sealPinned();
        return reclamation.tryReclaim();
    }

    @Override
    protected final void giveUp() {
        sealPinned();
        if (bag != 0) {
            long empty = bag;
            letGo();
            reclamation.closeBag(empty);
        }
        // Before the place is another's: one that was still announced would make the other's first pin look older than it is, and its withdrawal end a pin of the other's.
        memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.UNPINNED);
        reclamation.free(index, this);
    }

    /** As {@link #tryReclaim}, by the way of an operation that does not need it: {@link Unasked}. */
    void reclaimByTheWay() {
        Unasked.run(byTheWay);
    }

    final Reclamation reclamation() {
        return reclamation;
    }

    /** If its thread has ended, by one of those who find that. If the fabric fails, the next who finds it tries again. */
    final void giveUpIfEnded() {
        if (lender == null && !thread().isAlive() && claimed.compareAndSet(false, true)) {
            boolean isDone = false;
            try {
                giveUpForTheDead();
                isDone = true;
            } finally {
                claimed.set(isDone);
            }
        }
    }

    @Override
    public String toString() {
        return "Token[" + reclamation + ", index=" + index + ", thread=" + thread().getName() + "]";
    }
}
