package io.atoll.epoch;

import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EpochManager} for the threads of one process, and objects that only they use: no world, no verb, no segment (Dewan and Jenkins, section II-C). The same
 * tokens, the same rules, the same guarantee: an object is never freed while a token is pinned that was pinned before it was unlinked.
 *
 * <p>What is not freed when the process ends is gone with it. Lock-free, as {@link EpochManager}.
 */
public final class LocalEpochManager {

    /** How objects are freed. */
    @FunctionalInterface
    public interface Reclaimer {

        /**
         * Called by one thread at a time. What it throws goes to who tried to reclaim; these objects are not freed again.
         *
         * @param pointers as they were retired; the first so many are valid, and the array is to be left as it is
         */
        void free(long[] pointers, int count);
    }

    private static final int STRIDE = (int) (Layouts.CACHE_LINE / Layouts.WORD); // a line for each token

    private final Reclaimer reclaimer;
    private final AtomicLong epoch = new AtomicLong();
    private final AtomicLongArray announcements;
    private final AtomicReferenceArray<@Nullable LocalToken> tokens;
    private final AtomicReferenceArray<@Nullable LocalBag> limbo = new AtomicReferenceArray<>(EpochBlock.LISTS);
    private final AtomicBoolean reclaiming = new AtomicBoolean();

    /** @param tokens that threads can have registered at the same time, at most */
    public LocalEpochManager(int tokens, Reclaimer reclaimer) {
        if (tokens < 1) {
            throw new IllegalArgumentException("at least one token: tokens=" + tokens);
        }
        this.reclaimer = reclaimer;
        this.announcements = new AtomicLongArray((tokens + 2) * STRIDE);
        this.tokens = new AtomicReferenceArray<>(tokens);
    }

    /** For objects of this rank's own segment. */
    public static LocalEpochManager of(Participant self, int tokens) {
        Heap heap = self.heap();
        int rank = self.rank();
        return new LocalEpochManager(tokens, (pointers, count) -> {
            long[] offsets = new long[count];
            Arrays.setAll(offsets, index -> GlobalPointer.offsetOf(pointers[index]));
            heap.free(rank, offsets);
        });
    }

    /**
     * A token for the calling thread.
     *
     * @throws IllegalStateException when all tokens are registered
     */
    public Token register() {
        LocalToken token = tryRegister();
        if (token == null) {
            removeTokensOfEndedThreads();
            token = tryRegister();
        }
        if (token == null) {
            throw new IllegalStateException("all tokens are registered, give it more: tokens=" + tokens.length());
        }
        return token;
    }

    private @Nullable LocalToken tryRegister() {
        for (int index = 0; index < tokens.length(); index++) {
            if (tokens.get(index) == null) {
                LocalToken token = new LocalToken(this, index);
                if (tokens.compareAndSet(index, null, token)) {
                    return token;
                }
            }
        }
        return null;
    }

    private void removeTokensOfEndedThreads() {
        for (int index = 0; index < tokens.length(); index++) {
            LocalToken token = tokens.get(index);
            if (token != null && !token.thread().isAlive() && token.claimForTheDead()) {
                token.giveUpForTheDead();
            }
        }
    }

    // --- what tokens do ---

    private static int place(int index) {
        return (index + 1) * STRIDE;
    }

    void announce(int index, long pins) {
        announcements.setRelease(place(index), Announcement.pinned(epoch.getAcquire(), pins));
        // The store before the first load under it, as in WorldToken.
        VarHandle.fullFence();
    }

    /** Release: every load under the pin comes before. */
    void withdraw(int index) {
        announcements.setRelease(place(index), Announcement.UNPINNED);
    }

    void push(LocalBag bag) {
        // The epoch after the unlinks.
        VarHandle.fullFence();
        bag.seal(epoch.get());
        link(bag);
    }

    private void link(LocalBag bag) {
        int list = EpochBlock.list(bag.epoch());
        LocalBag head = limbo.get(list);
        while (true) {
            bag.next = head;
            LocalBag witness = limbo.compareAndExchange(list, head, bag);
            if (witness == head) {
                return;
            }
            head = witness;
        }
    }

    void free(int index, LocalToken token) {
        // Before the place is another's, in case its thread ended while it was pinned.
        withdraw(index);
        tokens.compareAndSet(index, token, null);
    }

    // --- reclaiming ---

    /** As {@link EpochManager#tryReclaim()}. */
    public long tryReclaim() {
        if (!reclaiming.compareAndSet(false, true)) {
            return 0;
        }
        try {
            tryAdvance();
            return freeOld(epoch.get());
        } finally {
            reclaiming.set(false);
        }
    }

    private boolean tryAdvance() {
        // The epoch, then the tokens, then the next epoch: see GlobalEpoch.
        long current = epoch.get();
        for (int index = 0; index < tokens.length(); index++) {
            if (Announcement.blocks(announcements.get(place(index)), current)) {
                return false;
            }
        }
        return epoch.compareAndSet(current, current + 1);
    }

    private long freeOld(long now) {
        long freed = 0;
        for (int list = 0; list < EpochBlock.LISTS; list++) {
            LocalBag head = limbo.get(list);
            if (head != null && isOld(head, now)) {
                freed += freeOld(limbo.getAndSet(list, null), now);
            }
        }
        return freed;
    }

    private long freeOld(@Nullable LocalBag bags, long now) {
        long freed = 0;
        LocalBag bag = bags;
        try {
            while (bag != null) {
                LocalBag present = bag;
                bag = present.next;
                if (isOld(present, now)) {
                    freed += present.free(reclaimer);
                } else {
                    link(present);
                }
            }
        } finally {
            // Only if one could not be freed.
            while (bag != null) {
                LocalBag next = bag.next;
                link(bag);
                bag = next;
            }
        }
        return freed;
    }

    /** By the bag's own epoch: who sealed it may have stood still before it was linked. */
    private static boolean isOld(LocalBag bag, long now) {
        return bag.epoch() <= now - 2;
    }

    /**
     * Frees everything that was retired. Nobody may be pinned or use a token meanwhile.
     *
     * @return how many objects this call has freed
     * @throws IllegalStateException if somebody is pinned, or reclaims
     */
    public long clear() {
        for (int index = 0; index < tokens.length(); index++) {
            LocalToken token = tokens.get(index);
            if (token != null) {
                token.sealForClear();
            }
        }
        if (!reclaiming.compareAndSet(false, true)) {
            throw new IllegalStateException("another thread reclaims: tokens=" + tokens.length());
        }
        try {
            if (!tryAdvance() || !tryAdvance()) {
                throw new IllegalStateException("everything is freed only while nobody is pinned: epoch=" + epoch);
            }
            return freeOld(epoch.get());
        } finally {
            reclaiming.set(false);
        }
    }

    /** How often it was advanced. */
    public long epoch() {
        return epoch.get();
    }
}
