package io.atoll.epoch;

import io.atoll.fabric.LateVerbs;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.StructureName;
import io.atoll.heap.Heap;
import io.atoll.memory.LocalMemory;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.WaitingLine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This rank's part of an epoch manager: its tokens, its limbo, and the first step of every election. */
class RankEpochs {

    /** After this many epochs everything that is retired now can be freed, wherever it waits. */
    static final int LONGEST = Math.max(LimboLists.LONGEST, RetiredRuns.LONGEST);

    private static final Logger LOG = LoggerFactory.getLogger(RankEpochs.class);

    /** A bag is sealed when its objects take a segment's bytes divided by this, however few they are. */
    private static final int PARTS_IN_A_BAG = 1024;

    private static final long LEAST_BAG_BYTES = 64 << 10;

    /** Whenever a segment's bytes divided by this have been retired, a thread tries to free some. */
    private static final int PARTS_IN_LIMBO = 16;

    // Another thread of this rank is reclaiming; the epoch is not known then.
    private static final Reclaimed NOTHING = new Reclaimed(0,
            new GlobalEpoch.Attempt(GlobalEpoch.Outcome.LOST_ELECTION, 0, Optional.empty()));

    private volatile EpochParts epochParts; // replaced by the thread that reclaims
    private final EpochSettings settings;
    private final int rank;
    private final long block;
    private final LocalMemory memory;
    private final Heap heap;
    private final GlobalEpoch epoch;
    private final LimboLists limbo;
    private final RetiredRuns retiredRuns;
    private final SegmentIdentities identities;
    private final AtomicReferenceArray<@Nullable WorldToken> tokens;
    private final AtomicLongArray formerPins; // by place: how often the tokens that had it before were pinned
    private final KeptPins keptPins;
    private final TokenPool lent;
    private final long mostBagBytes;
    private final long reclaimBytes;
    private final AtomicLong sealedBytes = new AtomicLong(); // since a thread last tried to reclaim because of them
    private final WaitingLine registering;
    // begun and ended turns: odd while a thread of this rank reclaims
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong freed = new AtomicLong(); // objects and runs, by all threads of this rank
    private final AtomicIntegerArray lastLosses; // by rank: the number of the renewal that last found its segment lost
    private final SegmentLossRecovery renewing; // used by the thread that reclaims
    private volatile int renewals; // of the parts; written after the last losses

    /** @param blocks an {@link EpochBlock} at each rank */
    RankEpochs(Participant self, long[] blocks, EpochSettings settings) {
        this.epochParts = new EpochParts(self, blocks);
        this.settings = settings;
        this.rank = self.rank();
        this.block = blocks[rank];
        this.memory = self.endpoint().fabric().local();
        this.heap = self.heap();
        this.tokens = new AtomicReferenceArray<>(settings.tokens());
        this.formerPins = new AtomicLongArray(settings.tokens());
        this.epoch = newEpoch(self, blocks, EpochBlock.HOME, settings.tokens());
        this.identities = new SegmentIdentities(self, blocks, settings.tokens());
        ScatterList scatter = newScatterList(identities, LimboLists.GROUP * Bag.CAPACITY);
        this.limbo = newLimbo(self, block(), settings.tokens(), scatter);
        this.retiredRuns = new RetiredRuns(heap, self.size());
        this.keptPins = new KeptPins(this, self.liveness().lateVerbs().orElseGet(LateVerbs::new));
        this.lent = new TokenPool(this);
        this.mostBagBytes = Math.max(LEAST_BAG_BYTES, memory.size() / PARTS_IN_A_BAG);
        this.reclaimBytes = memory.size() / PARTS_IN_LIMBO;
        this.registering = new WaitingLine(self.endpoint().clock());
        this.lastLosses = new AtomicIntegerArray(self.size());
        this.renewing = newRenewal();
        recover();
    }

    static RankEpochs open(Participant self, EpochSettings settings) {
        long bytes = EpochBlock.bytes(settings.tokens(), self.maxSize());
        long[] blocks = self.directory()
                .open(EpochStructure.NAME, EpochStructure.configuration(settings.tokens()), _ -> bytes, OnLoss.EMPTY);
        return new RankEpochs(self, blocks, settings);
    }

    GlobalEpoch newEpoch(Participant participant, long[] allBlocks, int home, int capacity) {
        return new GlobalEpoch(participant, allBlocks, home, capacity);
    }

    LimboLists newLimbo(Participant participant, long block, int capacity, ScatterList scatter) {
        return new LimboLists(participant, block, capacity, scatter);
    }

    ScatterList newScatterList(SegmentIdentities segments, int capacity) {
        return new ScatterList(heap, segments, self().size(), capacity);
    }

    SegmentLossRecovery newRenewal() {
        return new SegmentLossRecovery(this);
    }

    /** Returns the offset of the block in the present segment of a rank that has lost its former one. */
    long blockIn(Participant reaching, int owner) {
        int capacity = settings.tokens();
        return reaching.directory()
                .openPart(owner, EpochStructure.NAME, EpochStructure.configuration(capacity),
                        EpochBlock.bytes(capacity, reaching.maxSize()), OnLoss.EMPTY);
    }

    WorldToken newToken(int index) {
        return new WorldToken(this, index);
    }

    /** Returns the name of the world's epochs, for failures. */
    final @Nullable StructureName structure() {
        return self().endpoint().structures().named(EpochStructure.NAME);
    }

    /** Returns the participant by which ranks are reached at the moment. */
    final Participant self() {
        return epochParts.self();
    }

    /** Returns where the blocks of all ranks are at the moment. */
    final EpochParts epochParts() {
        return epochParts;
    }

    /** Returns how often the parts were replaced. */
    final int renewals() {
        return renewals;
    }

    /** Returns the number of the last renewal because of that rank, 0 if there was none. */
    final int lastLoss(int owner) {
        return lastLosses.get(owner);
    }

    /**
     * Replaces the parts. Called by the thread that reclaims. Objects that a thread retires after it has seen this lie
     * in the segments that the new parts know.
     */
    final void reach(EpochParts renewed, List<Integer> lost) {
        epoch.reach(renewed);
        identities.reachBy(renewed.self().endpoint(), renewed.blocks());
        retiredRuns.reachBy(renewed.self().heap());
        limbo.reachBy(renewed.self());
        epochParts = renewed;
        int renewal = renewals + 1;
        lost.forEach(owner -> lastLosses.set(owner, renewal));
        renewals = renewal;
    }

    final SegmentIdentities identities() {
        return identities;
    }

    /**
     * Returns the bags that tokens of this rank are filling. None of them is freed before this thread has ended its
     * turn.
     */
    long[] filling() {
        return LongStream.range(0, tokens.length())
                .map(index -> memory.getAcquire(block() + EpochBlock.token((int) index) + EpochBlock.BAG))
                .filter(bag -> bag != 0)
                .toArray();
    }

    /** Returns the announcements of this rank's tokens: whether each is pinned, and since when. */
    long[] announcements() {
        memory.fullFence();
        long[] words = new long[tokens.length()];
        for (int index = 0; index < words.length; index++) {
            words[index] = memory.getVolatile(block() + EpochBlock.token(index) + EpochBlock.ANNOUNCEMENT);
        }
        return words;
    }

    /** Returns what keeps pins of this rank after their operations. */
    final KeptPins keptPins() {
        return keptPins;
    }

    final EpochSettings settings() {
        return settings;
    }

    final LocalMemory memory() {
        return memory;
    }

    final GlobalEpoch epoch() {
        return epoch;
    }

    final LimboLists limbo() {
        return limbo;
    }

    final RetiredRuns retiredRuns() {
        return retiredRuns;
    }

    /** Returns true if this rank knows of nothing that waits to be freed, or is being freed. */
    final boolean isIdle() {
        long turn = turns.get();
        // A thread that reclaims has taken what it frees out of both, and may put it back.
        return !isUnderWay(turn) && limbo.isEmpty() && retiredRuns.isEmpty() && turns.get() == turn;
    }

    private static boolean isUnderWay(long turn) {
        return turn % 2 != 0;
    }

    /**
     * Returns how many objects and runs all threads of this rank have freed. They are counted before {@link #isIdle}
     * says that nothing is left.
     */
    final long freed() {
        return freed.get();
    }

    final TokenPool lent() {
        return lent;
    }

    /** Returns the offset of this rank's block in its segment. */
    final long block() {
        return block;
    }

    int bagCapacity() {
        return Bag.CAPACITY;
    }

    // --- what earlier incarnations left ---

    /**
     * Takes over the limbo and the bags of earlier incarnations of this rank. No other process writes them: other ranks
     * only read, and the earlier incarnations have ended. Their tokens have not counted since. From the last step on,
     * this incarnation's tokens count.
     */
    private void recover() {
        if (memory.getAcquire(block() + EpochBlock.INCARNATION) == self().incarnation()) {
            keptPins.note(); // by another object of this process
            return;
        }
        limbo.recover();
        Set<Long> linked = limbo.linked();
        int used = (int) memory.getAcquire(block() + EpochBlock.TOKENS);
        for (int index = 0; index < used; index++) {
            recover(block() + EpochBlock.token(index), linked);
        }
        long[] read = readIdentities();
        for (int owner = 0; owner < epochParts.blocks().length; owner++) {
            forgetIfLost(owner, read[owner]);
        }
        limbo.recount();
        memory.setRelease(block() + EpochBlock.AWAITED, 0);
        memory.setRelease(block() + EpochBlock.TOKENS, 0);
        memory.setVolatile(block() + EpochBlock.INCARNATION, self().incarnation());
    }

    private void recover(long token, Set<Long> linked) {
        long bag = memory.getAcquire(token + EpochBlock.BAG);
        if (bag != 0 && !linked.contains(bag)) {
            if (memory.getAcquire(bag + Bag.OBJECTS) > 0) {
                limbo.push(bag, epoch.read(), new BagEntries());
            } else {
                closeBag(bag);
            }
        }
        memory.setRelease(token + EpochBlock.BAG, 0);
        memory.setRelease(token + EpochBlock.ANNOUNCEMENT, Announcement.UNPINNED);
    }

    /** Returns zeros if a rank cannot be reached: then each rank is asked by itself. */
    private long[] readIdentities() {
        try {
            return identities.readAll();
        } catch (FabricException gone) {
            LOG.debug("not all ranks' segments can be asked together", gone);
            return new long[epochParts.blocks().length];
        }
    }

    /**
     * Objects of a lost segment must not be freed in the one that was made anew. If it was the segment of the epoch,
     * epochs are counted anew.
     */
    private void forgetIfLost(int owner, long identity) {
        try {
            if (!identities.isAsMet(owner, identity)) {
                limbo.forget(owner);
                if (owner == EpochBlock.HOME) {
                    limbo.sealAnew(followHome());
                }
                identities.meet(owner);
            }
        } catch (FabricException gone) {
            // The segment's identity is asked for again before anything there is freed.
            LOG.debug("a rank's segment cannot be asked: rank={}", owner, gone);
        }
    }

    /** From now on tokens are pinned in the epoch that the home counts. Returns that epoch. */
    final long followHome() {
        long now = epoch.read();
        memory.setRelease(block() + EpochBlock.CACHED_EPOCH, now);
        return now;
    }

    // --- tokens and their bags ---

    /** As {@link #register(String, Consumer)}, with the thread's name. */
    final WorldToken register() {
        return register(Thread.currentThread().getName(), _ -> {});
    }

    /**
     * Waits while all tokens are registered.
     *
     * @param name by which failures report the token when it is in the way
     * @param preparation of the token, before other threads see it
     * @throws IllegalStateException if no thread gives a token back within the operation timeout
     */
    final WorldToken register(String name, Consumer<WorldToken> preparation) {
        WorldToken token = registering.isStarving() ? null : tryRegister(name, preparation);
        return token != null ? token : awaitRegistration(name, preparation);
    }

    private WorldToken awaitRegistration(String name, Consumer<WorldToken> preparation) {
        Duration timeout = self().reservations().timeout();
        WorldToken token = registering.await(() -> {
            WorldToken free = tryRegister(name, preparation);
            if (free == null) {
                refuseIfFenced();
                removeTokensOfEndedThreads();
            }
            return free;
        }, timeout);
        if (token == null) {
            throw new IllegalStateException(
                    "all tokens of this rank are registered, and no thread gives one back: raise"
                            + " atoll.epochs.tokens (EpochSettings.tokens), or unregister tokens earlier: tokens="
                            + settings.tokens() + " rank=" + rank + " timeoutMillis=" + timeout.toMillis());
        }
        return token;
    }

    /**
     * Throws if this process must not take part any more, because the load then fails. For threads that wait for other
     * threads of this process.
     */
    final void refuseIfFenced() {
        memory.getAcquire(block() + EpochBlock.INCARNATION);
    }

    /** Returns null if the table is full. */
    final @Nullable WorldToken tryRegister(String name, Consumer<WorldToken> preparation) {
        for (int index = 0; index < tokens.length(); index++) {
            if (tokens.get(index) == null) {
                WorldToken token = newToken(index);
                preparation.accept(token);
                if (tokens.compareAndSet(index, null, token)) {
                    token.countFrom(formerPins.get(index));
                    return named(token, index, name);
                }
            }
        }
        return null;
    }

    private WorldToken named(WorldToken token, int index, String name) {
        try {
            EpochBlock.writeName(memory, token.place, name);
            raiseTokensUsed(index + 1);
            return token;
        } catch (Throwable nobodyHasIt) {
            free(index, token);
            throw nobodyHasIt;
        }
    }

    /**
     * Called before the token is first pinned: a scan that stops before the token must be one that need not see it.
     */
    private void raiseTokensUsed(long used) {
        long offset = block() + EpochBlock.TOKENS;
        long current = memory.getAcquire(offset);
        while (current < used) {
            long witness = memory.compareAndExchange(offset, current, used);
            current = witness == current ? used : witness;
        }
    }

    /** Removes the tokens of threads that have ended without unregistering. Each belonged to one thread alone. */
    private void removeTokensOfEndedThreads() {
        for (int index = 0; index < tokens.length(); index++) {
            WorldToken token = tokens.get(index);
            if (token != null) {
                token.giveUpIfEnded();
            }
        }
    }

    final void free(int index, WorldToken token) {
        // Before another token gets the place: it must not repeat an announcement of this one.
        formerPins.set(index, token.pins());
        tokens.compareAndSet(index, token, null);
    }

    /** Returns a bag, or 0 if there is no room for one. */
    long openBag(long token) {
        long bag;
        try {
            bag = heap.allocateAtOnce(rank, Bag.BYTES);
        } catch (SegmentFullException full) {
            return 0;
        } catch (VirtualMachineError | LinkageError noMemory) {
            Aftermath.warn("an object is retired without a bag", noMemory);
            return 0;
        }
        return noted(bag, token) ? bag : 0;
    }

    /**
     * Notes the new bag in the token's place: the next incarnation finds it there after a death. Returns false if that
     * failed.
     */
    private boolean noted(long bag, long token) {
        try {
            // The heap's mark that the bag is handed out must have arrived before the bag is noted. Otherwise, after a
            // death, the bag would be taken for a cached object.
            self().endpoint().flush(rank);
            memory.setRelease(bag + Bag.OBJECTS, 0);
            memory.setRelease(token + EpochBlock.BAG, bag);
            return true;
        } catch (VirtualMachineError | LinkageError notNoted) {
            Aftermath.warn("an object is retired without a bag", notNoted);
            closeBag(bag);
            return false;
        }
    }

    final void closeBag(long bag) {
        heap.free(rank, bag);
    }

    /** Returns true if a bag with that many bytes of objects is to be sealed. */
    final boolean isHeavy(long bagBytes) {
        return bagBytes >= mostBagBytes;
    }

    /**
     * Notes what has come into limbo. Returns true if it is enough to try to free some; then not again before as much
     * more has come.
     */
    final boolean isTimeToReclaim(long bytes) {
        return sealedBytes.addAndGet(bytes) >= reclaimBytes && sealedBytes.getAndSet(0) >= reclaimBytes;
    }

    /** Puts into limbo what is in the bags of the calling thread, and of tokens that no thread has borrowed. */
    final void sealIdle() {
        for (int index = 0; index < tokens.length(); index++) {
            WorldToken token = tokens.get(index);
            if (token != null && token.thread() == Thread.currentThread()) {
                token.sealPinned();
            }
        }
        lent.sealIdle();
    }

    /** Returns true if the token is lent to the calling thread for an operation. */
    final boolean isLentToThisThread(int index) {
        WorldToken token = tokens.get(index);
        return token != null && token.isLent() && token.thread() == Thread.currentThread();
    }

    /**
     * Returns true if this thread is pinned. Objects that were retired under its pin cannot be freed before the pin
     * ends.
     */
    final boolean isPinnedByThisThread() {
        for (int index = 0; index < tokens.length(); index++) {
            WorldToken token = tokens.get(index);
            if (token != null && token.thread() == Thread.currentThread() && token.isPinned()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Puts into limbo everything that tokens of this rank have in their bags, while their threads do nothing. Returns
     * the epoch of the world after that.
     */
    final long sealAll() {
        for (int index = 0; index < tokens.length(); index++) {
            WorldToken token = tokens.get(index);
            if (token != null) {
                token.sealPinned();
            }
        }
        return epoch.read();
    }

    // --- reclaiming ---

    /**
     * Returns how many objects were freed. Cost: see {@link GlobalEpoch#tryAdvance}, and what the heap takes to free
     * them.
     */
    final long tryReclaim() {
        return tryToReclaim().freed();
    }

    /** The outcome of an attempt to reclaim. */
    record Reclaimed(long freed, GlobalEpoch.Attempt attempt) {}

    /** Returns true if a rank has lost its segment, and this rank has yet to go on without it. No verb. */
    final boolean isBehind() {
        return renewing.isDue();
    }

    /** Goes on as far as it can without segments that were lost, unless another thread is doing so. */
    final void goOn() {
        long turn = turns.get();
        if (!isUnderWay(turn) && turns.compareAndSet(turn, turn + 1)) {
            try {
                renewing.advance();
            } finally {
                turns.set(turn + 2);
            }
        }
    }

    final Reclaimed tryToReclaim() {
        long turn = turns.get();
        if (isUnderWay(turn) || !turns.compareAndSet(turn, turn + 1)) {
            memory.getAndAdd(block() + EpochBlock.FAILED_ELECTIONS, 1);
            return NOTHING;
        }
        try {
            renewing.advance();
            GlobalEpoch.Attempt attempt = attempt();
            long runs = retiredRuns.free(attempt.epoch(), epoch::read);
            freed.addAndGet(runs);
            long objects = limbo.free(attempt.epoch(), epoch::read);
            freed.addAndGet(objects);
            return new Reclaimed(runs + objects, attempt);
        } finally {
            turns.set(turn + 2);
        }
    }

    /**
     * Tries to reclaim until everything that is in limbo now is old enough, or a token is in the way. The caller must
     * not be pinned. Returns how many objects were freed.
     */
    final long reclaimAll() {
        long freed = 0;
        for (int attempt = 0; attempt <= LONGEST && !isIdle(); attempt++) {
            Reclaimed reclaimed = tryToReclaim();
            freed += reclaimed.freed();
            if (reclaimed.attempt().outcome() != GlobalEpoch.Outcome.ADVANCED) {
                break;
            }
        }
        return freed;
    }

    private GlobalEpoch.Attempt attempt() {
        GlobalEpoch.Attempt attempt = epoch.tryAdvance();
        switch (attempt.outcome()) {
            case ADVANCED -> memory.getAndAdd(block() + EpochBlock.ADVANCES, 1);
            case LOST_ELECTION -> memory.getAndAdd(block() + EpochBlock.FAILED_ELECTIONS, 1);
            case BLOCKED -> removeTokensOfEndedThreads();
        }
        return attempt;
    }

    @Override
    public String toString() {
        return "rank=" + rank;
    }
}
