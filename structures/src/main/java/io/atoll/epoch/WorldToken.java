package io.atoll.epoch;

import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A token of an {@link EpochManager}: a place in this rank's table, and the bag that the token fills. Both are in this
 * rank's segment. So pinning needs no verb, and a rank that comes back after its death finds what it had retired.
 */
class WorldToken extends Token {

    /** After a bag was asked for in vain, this many objects are retired without one. */
    private static final int CHAINED_AT_ONCE = 60;

    private final RankEpochs rankEpochs;
    final LocalMemory memory;
    private final int index;
    final long place;
    private final long cachedEpoch;
    private final KeptPins keptPins;
    private final int reclaimEvery;
    private final int bagCapacity;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private @Nullable TokenPool lender; // of a token that threads borrow
    private int lentPlace; // with the lender
    private boolean isOfThread; // kept by the manager while its thread lives
    private boolean isPassedOn; // set before other threads see the token
    private long pins;
    private long bag; // 0 if there is none
    private int objects; // in the bag
    private final BagEntries entries = new BagEntries();
    private long bagBytes; // of the objects in the bag, as far as known
    private int retirements; // since this token last tried to reclaim
    private boolean isTimeToReclaim; // because of the bytes in limbo
    private boolean isTimeToTry; // because of bytes or retirements, after the last unpin
    // made before it is needed: later there may be no memory for it
    private final LongSupplier inTime = this::reclaimInTime;
    private final LongSupplier byTheWay = this::reclaim;
    private int chained; // how many of the next objects are not to ask for a bag
    private int renewals; // of the parts when the bag was last looked through

    WorldToken(RankEpochs rankEpochs, int index) {
        this.rankEpochs = rankEpochs;
        this.memory = rankEpochs.memory();
        this.index = index;
        this.place = rankEpochs.block() + EpochBlock.token(index);
        this.cachedEpoch = rankEpochs.block() + EpochBlock.CACHED_EPOCH;
        this.keptPins = rankEpochs.keptPins();
        this.reclaimEvery = rankEpochs.settings().reclaimEvery();
        this.bagCapacity = rankEpochs.bagCapacity();
        this.renewals = rankEpochs.renewals();
    }

    /**
     * Continues the count of an earlier token. The caller calls this before the first pin. So no pin looks like one of
     * the token that had the place before.
     */
    final void countFrom(long formerPins) {
        pins = formerPins;
    }

    /** Returns how often tokens in this place have been pinned: this one and those before it. */
    final long pins() {
        return pins;
    }

    @Override
    protected void enter() {
        // If the cache lags, or the epoch ends right now, this token holds the epoch too long, never too short. So only
        // the fence that follows orders the load.
        try {
            announce(epoch());
        } catch (VirtualMachineError | LinkageError notPinned) {
            withdraw();
            throw notPinned;
        }
    }

    /** Returns the epoch to be pinned in: an earlier one if a pin that has to be kept stands in this place. */
    private long epoch() {
        long former = memory.get(place + EpochBlock.ANNOUNCEMENT);
        return former == Announcement.UNPINNED || !keptPins.areDue()
                ? memory.get(cachedEpoch)
                : Announcement.epoch(former);
    }

    final void announce(long epoch) {
        memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.pinned(epoch, ++pins));
        // The store becomes visible before the first load under the pin. An advancer may read this token too early to
        // see the store. Then the advancer ends that epoch only. The objects that this thread can still find are freed
        // in a later one.
        memory.fullFence();
    }

    @Override
    protected final void leave() {
        try {
            withdraw();
            if (isTimeToTry) {
                isTimeToTry = false;
                OpportunisticReclaim.run(inTime);
            }
        } catch (VirtualMachineError | LinkageError error) {
            Aftermath.warn("its epoch is left in a second attempt", error);
            withdraw();
        } finally {
            giveBack();
        }
    }

    /** Returns a lent token to its lender, unless it is still pinned. */
    final void giveBack() {
        if (lender != null && !isPinned()) {
            lender.takeBack(this, lentPlace);
        }
    }

    private long reclaimInTime() {
        boolean isMuch = isTimeToReclaim;
        isTimeToReclaim = false;
        long freed = reclaim();
        return isMuch ? freed + rankEpochs.reclaimAll() : freed;
    }

    final void lentBy(TokenPool tokens, int lenderPlace) {
        lender = tokens;
        lentPlace = lenderPlace;
    }

    /** The manager keeps the token for its thread. */
    final void keepForThread() {
        isOfThread = true;
    }

    @Override
    protected final boolean isKept() {
        return isLent() || isOfThread;
    }

    /** No thread's end ends the token: it is passed from thread to thread until it is unregistered. */
    final void passOn() {
        isPassedOn = true;
    }

    /** Release: every load under the pin comes before this store. */
    void withdraw() {
        if (keptPins.areDue()) {
            keep();
        } else {
            memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.UNPINNED);
        }
    }

    /** Leaves the announcement where it is, since changes of this process may still arrive. */
    private void keep() {
        long word = memory.get(place + EpochBlock.ANNOUNCEMENT);
        if (Announcement.isPinned(word)) {
            memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.kept(word));
            keptPins.note(); // after it is kept: who takes the note finds it
        }
    }

    @Override
    protected final void add(long pointer, long bytes) {
        forgetLost();
        if (hasRoom()) {
            long entry = bag + Bag.entry(objects);
            memory.setRelease(entry + Bag.POINTER, pointer);
            memory.setRelease(entry + Bag.OBJECT_BYTES, bytes);
            // Counted last: before it is counted, no caller has been told that the object is retired.
            memory.setRelease(bag + Bag.OBJECTS, objects + 1);
            objects++;
            bagBytes += bytes;
        } else {
            rankEpochs.limbo().chain(pointer, bytes);
            isTimeToReclaim |= rankEpochs.isTimeToReclaim(bytes);
        }
        retirements++;
        if (isFull() || rankEpochs.isHeavy(bagBytes)) {
            sealIfPossible();
        }
        isTimeToTry = isTimeToReclaim || reclaimEvery > 0 && retirements >= reclaimEvery;
    }

    /** Objects in the bag count as lost if their segment was lost since the bag was last looked through. */
    void forgetLost() {
        int present = rankEpochs.renewals();
        if (renewals != present) {
            for (int at = 0; at < objects; at++) {
                long entry = bag + Bag.entry(at) + Bag.POINTER;
                int owner = GlobalPointer.rankOf(memory.get(entry));
                if (rankEpochs.lastLoss(owner) > renewals) {
                    memory.setRelease(entry, Bag.lost(owner));
                }
            }
            renewals = present;
        }
    }

    final boolean isLent() {
        return lender != null;
    }

    /** Returns true if there is a bag with room for one more. */
    private boolean hasRoom() {
        if (isFull()) {
            // The bag could not be sealed when it became full: the rank that knows the epoch was not there.
            sealIfPossible();
        }
        if (bag == 0 && --chained < 0) {
            bag = rankEpochs.openBag(place);
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
            // The object is retired all the same. The next retirement finds the bag full, and seals it first.
        }
    }

    /**
     * Hands the bag over to limbo. The token must be pinned: so the bag cannot be freed, and become another token's,
     * before this token has let go of it.
     */
    private void seal() {
        if (objects > 0) {
            forgetLost();
            long sealedBytes = bagBytes;
            rankEpochs.limbo().push(bag, sealingEpoch(), entries);
            letGo();
            isTimeToReclaim |= rankEpochs.isTimeToReclaim(sealedBytes);
        }
    }

    /** First the steps that no error can prevent: a bag that is in limbo must not be filled any more. */
    private void letGo() {
        bag = 0;
        objects = 0;
        bagBytes = 0;
        memory.setRelease(place + EpochBlock.BAG, 0);
    }

    /** Returns the epoch of the world, not the cached one, read after everything in the bag was unlinked. Cost: R. */
    long sealingEpoch() {
        memory.fullFence();
        return rankEpochs.epoch().read();
    }

    /** Called by the token's thread, or by a thread that acts in its place while it does nothing. */
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
        return rankEpochs.tryReclaim();
    }

    @Override
    protected final void giveUp() {
        sealPinned();
        if (bag != 0) {
            long empty = bag;
            letGo();
            rankEpochs.closeBag(empty);
        }
        // Before another token gets the place. An announcement that stayed would make the other's first pin look older
        // than it is. Withdrawing it later would end a pin of the other. One that is kept is known to be so.
        withdraw();
        rankEpochs.free(index, this);
    }

    /** As {@link #tryReclaim}, on the side of an operation that does not depend on it: {@link OpportunisticReclaim}. */
    void reclaimByTheWay() {
        OpportunisticReclaim.run(byTheWay);
    }

    final RankEpochs rankEpochs() {
        return rankEpochs;
    }

    /**
     * Gives up the token if its thread has ended. Several threads may find that; one of them does it. If the fabric
     * fails, the next thread that finds it tries again.
     */
    final void giveUpIfEnded() {
        if (lender == null && !isPassedOn && !thread().isAlive() && claimed.compareAndSet(false, true)) {
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
        return "Token[" + rankEpochs + ", index=" + index + ", thread=" + thread().getName() + "]";
    }
}
