package io.atoll.epoch;

import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.world.Participant;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EpochManager} for the threads of one process and objects that only they use: no world, no verb, no segment
 * (Dewan and Jenkins, section II-C). Tokens and rules are the same, and so is the guarantee. An object is never freed
 * while a token is pinned that was pinned before the object was unlinked.
 *
 * <p>When the process ends, objects that were not freed are gone with it. Lock-free, as {@link EpochManager}.
 */
public class LocalEpochManager {

    /**
     * The state of a {@link LocalEpochManager}. Each number was true at some moment. Together they are consistent if
     * nothing happened meanwhile.
     *
     * @param tokens that are registered
     * @param limbo the lists that are not empty
     * @param retired all objects ever retired, without those in bags that are not full yet
     * @param freed objects
     * @param lost objects that the reclaimer has refused
     * @param advances of the epoch
     * @param failedElections attempts to reclaim that left the work to another thread
     */
    public record Snapshot(long epoch, List<EpochSnapshot.TokenState> tokens, List<EpochSnapshot.Limbo> limbo,
            long retired, long freed, long lost, long advances, long failedElections) {}

    /** Frees objects. */
    @FunctionalInterface
    public interface Reclaimer {

        /**
         * Called by one thread at a time. An exception goes to the caller that tried to reclaim; these objects are not
         * freed again.
         *
         * @param pointers as they were retired; only the first {@code count} are valid. The array must not be changed
         */
        void free(long[] pointers, int count);
    }

    static final long EPOCH = 0;

    private static final int HERE = 0; // no world, no rank

    private final Reclaimer reclaimer;
    final LocalMemory memory; // the epoch, then the tokens' announcements, each on a cache line of its own
    private final AtomicReferenceArray<@Nullable LocalToken> tokens;
    private final AtomicReferenceArray<@Nullable LocalBag> limbo = new AtomicReferenceArray<>(EpochBlock.LISTS);
    private final AtomicBoolean reclaiming = new AtomicBoolean();
    private final LocalFigures figures = new LocalFigures();
    private final TokenAges ages = new TokenAges();

    /** @param tokens how many threads can have a token registered at the same time */
    public LocalEpochManager(int tokens, Reclaimer reclaimer) {
        if (tokens < 1) {
            throw new IllegalArgumentException("at least one token: tokens=" + tokens);
        }
        this(tokens, reclaimer, new MappedMemory(Arena.ofAuto().allocate(place(tokens), Layouts.CACHE_LINE)));
    }

    /** @param memory zeroed: a cache line for the epoch, and one for each token */
    LocalEpochManager(int tokens, Reclaimer reclaimer, LocalMemory memory) {
        this.reclaimer = reclaimer;
        this.memory = memory;
        this.tokens = new AtomicReferenceArray<>(tokens);
    }

    /** Returns a manager for objects in this rank's own segment. */
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
     * Returns a token for the calling thread.
     *
     * @throws IllegalStateException if all tokens are registered
     */
    public final Token register() {
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
            if (token != null) {
                token.giveUpIfEnded();
            }
        }
    }

    // --- what tokens call ---

    static long place(int index) {
        return (index + 1) * Layouts.CACHE_LINE;
    }

    void announce(int index, long pins) {
        memory.setRelease(place(index), Announcement.pinned(memory.getAcquire(EPOCH), pins));
        // The store becomes visible before the first load under the pin, as in WorldToken.
        memory.fullFence();
    }

    /** Release: every load under the pin comes before this store. */
    final void withdraw(int index) {
        memory.setRelease(place(index), Announcement.UNPINNED);
    }

    final void push(LocalBag bag) {
        // The epoch is read after the objects were unlinked.
        memory.fullFence();
        bag.seal(sealingEpoch());
        figures.retired.add(bag.objects());
        link(bag);
    }

    long sealingEpoch() {
        return epoch();
    }

    private void link(LocalBag bag) {
        figures.comes(bag);
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

    final void free(int index, LocalToken token) {
        // Before another token gets the place, in case this one's thread ended while it was pinned.
        withdraw(index);
        tokens.compareAndSet(index, token, null);
    }

    // --- reclaiming ---

    /** As {@link EpochManager#tryReclaim()}. */
    public final long tryReclaim() {
        if (!reclaiming.compareAndSet(false, true)) {
            figures.failedElections.increment();
            return 0;
        }
        try {
            if (!tryAdvance()) {
                removeTokensOfEndedThreads();
            }
            return freeOld(epoch());
        } finally {
            reclaiming.set(false);
        }
    }

    boolean tryAdvance() {
        // Reads the epoch, then the tokens, then sets the next epoch, in this order: see GlobalEpoch.
        long current = epoch();
        for (int index = 0; index < tokens.length(); index++) {
            if (Announcement.blocks(memory.getVolatile(place(index)), current)) {
                return false;
            }
        }
        return advance(current);
    }

    final boolean advance(long current) {
        figures.advances.increment();
        return memory.compareAndExchange(EPOCH, current, current + 1) == current;
    }

    private long freeOld(long now) {
        long freed = 0;
        for (int list = 0; list < EpochBlock.LISTS; list++) {
            LocalBag head = limbo.get(list);
            if (head != null && isOld(head.epoch(), now)) {
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
                figures.goes(present);
                if (isOld(present.epoch(), now)) {
                    freed += free(present);
                } else {
                    link(present);
                }
            }
        } finally {
            // Bags are left only if one of them could not be freed.
            while (bag != null) {
                LocalBag next = bag.next;
                figures.goes(bag);
                link(bag);
                bag = next;
            }
        }
        return freed;
    }

    private int free(LocalBag bag) {
        boolean isDone = false;
        try {
            bag.free(reclaimer);
            isDone = true;
        } finally {
            (isDone ? figures.freed : figures.lost).add(bag.objects());
        }
        return bag.objects();
    }

    /** Judges by the bag's own epoch: the thread that sealed the bag may have stood still before it linked the bag. */
    boolean isOld(long sealed, long now) {
        return sealed <= now - 2;
    }

    /**
     * Frees everything that was retired. No thread may be pinned or use a token meanwhile.
     *
     * @return how many objects this call has freed
     * @throws IllegalStateException if a thread is pinned, or reclaims
     */
    public final long clear() {
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
                throw new IllegalStateException("everything is freed only while nobody is pinned: epoch=" + epoch());
            }
            return freeOld(epoch());
        } finally {
            reclaiming.set(false);
        }
    }

    /** Returns the state of this manager. Disturbs no thread. */
    public final Snapshot snapshot() {
        long now = epoch();
        List<EpochSnapshot.TokenState> states = new ArrayList<>();
        for (int index = 0; index < tokens.length(); index++) {
            LocalToken token = tokens.get(index);
            if (token != null) {
                states.add(state(index, token.threadName(), now));
            }
        }
        return new Snapshot(now, List.copyOf(states), figures.limbo(now), figures.retired.sum(),
                figures.freed.sum(), figures.lost.sum(), figures.advances.sum(), figures.failedElections.sum());
    }

    private EpochSnapshot.TokenState state(int index, String thread, long now) {
        long announcement = memory.getAcquire(place(index));
        return new EpochSnapshot.TokenState(HERE, index, thread, Announcement.isPinned(announcement),
                Announcement.epoch(announcement), ages.age(HERE, index, announcement, now, System.nanoTime()),
                Announcement.blocks(announcement, now));
    }

    /** Returns the epoch: how often it was advanced. */
    public final long epoch() {
        return memory.getVolatile(EPOCH);
    }
}
