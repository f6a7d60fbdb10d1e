package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Ranks of a simulated world replace the objects in a few words, retire the former ones, and read the present ones. The
 * trial fails if a thread finds an object that was freed. It also fails if in the end more objects are gone than deaths
 * explain.
 */
final class EpochTrial {

    static final int RANKS = 3;

    // Large enough that the bags of a rank that reclaims nothing while another is away do not reach the block.
    private static final long SEGMENT_BYTES = 384 << 10;
    // where nothing lies as long as nothing is opened by name
    private static final long BLOCK = SEGMENT_BYTES - (16 << 10);
    private static final long SLOTS = SEGMENT_BYTES - (8 << 10);
    private static final int SLOTS_PER_RANK = 2;
    private static final int LOOKS = 3;
    private static final int TICKS = 1000;
    private static final int LOOKS_OF_A_DUEL = 16; // long enough for the others to free the object, if they do wrong
    private static final long OBJECT_BYTES = 64;
    private static final EpochSettings SETTINGS = EpochSettings.DEFAULT.tokens(8);

    private final Simulation simulation;
    private final Mistake mistake;
    private final Liveness liveness;
    private final int threads;
    private int operations = 14;
    private boolean flushes = true;
    private boolean isDuel;
    private boolean isWriting;
    private boolean isAsking;
    private boolean isLossy;
    private final Set<Long> poisoned = new HashSet<>();
    private final Map<SimRank, Participant> participants = new HashMap<>();
    private final Map<SimRank, Process> processes = new HashMap<>();
    long freed;
    long relieved; // requests after which something was free
    long kept; // how often pins were kept and the rank looked whether they can end
    private long failures;
    private int breaks;
    private int bags; // how many were asked for
    private IntPredicate refused = _ -> false;

    private record Process(Participant self, RankEpochs rankEpochs, EpochManager epochs, FullSegments relief) {}

    EpochTrial(long seed, SimOptions options, int threads, Mistake mistake) {
        this(seed, options, threads, mistake, null);
    }

    /** @param believed what ranks believe of each other's deaths, if it is not the truth */
    EpochTrial(long seed, SimOptions options, int threads, Mistake mistake, Liveness believed) {
        this.simulation = new Simulation(seed, options);
        this.threads = threads;
        this.mistake = mistake;
        this.liveness = believed != null ? believed : simulation::isFenced;
    }

    static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).maximumSteps(1_000_000);
    }

    EpochTrial operations(int count) {
        operations = count;
        return this;
    }

    /** Connections break at most that often. The thread that retires does not always see what that loses. */
    EpochTrial breaks(int most) {
        breaks = most;
        return this;
    }

    /** There is no room for some bags, by the numbers of the attempts to get one. */
    EpochTrial refusing(IntPredicate attempts) {
        refused = attempts;
        return this;
    }

    /** Writes to objects are still under way when the token is unpinned. */
    EpochTrial neverFlushes() {
        flushes = false;
        return this;
    }

    /** Ranks come back without their segments. So no word leads to an object of another rank, as in structures. */
    EpochTrial lossy() {
        isLossy = true;
        return this;
    }

    long losses() {
        return simulation.losses();
    }

    /** Ranks ask each other to free what they hold of some segment. */
    EpochTrial asking() {
        isAsking = true;
        return this;
    }

    /** Rank 1 only uses the one object there is, rank 2 only replaces it, and rank 0 only advances the epoch. */
    EpochTrial duel() {
        isDuel = true;
        return this;
    }

    /** As {@link #duel}, but rank 1 only writes. */
    EpochTrial duelOfWrites() {
        isWriting = true;
        return duel();
    }

    EpochTrial run() {
        runWithoutLookingBack();
        checkNothingIsGone();
        return this;
    }

    /** Does not check that everything is freed in the end. */
    void runWithoutLookingBack() {
        simulation.onDeath(this::work).onLoss(this::lose, this::learn).run(this::work);
        if (deaths() == 0) {
            // Everything that was sent has arrived.
            poisoned.forEach(pointer -> checkUntouched(simulation.endpoint(0), pointer));
        }
    }

    /** Poisoned objects of a lost segment are gone. */
    private void lose(int lost) {
        poisoned.removeIf(pointer -> GlobalPointer.rankOf(pointer) == lost);
    }

    private void learn(SimRank rank, int lost) {
        Participant self = participants.get(rank);
        if (self != null) {
            self.renew(rank.endpoint(), lost);
        }
    }

    private int deaths() {
        int deaths = deadForGood();
        for (int rank = 0; rank < RANKS; rank++) {
            deaths += simulation.incarnation(rank) - 1;
        }
        return deaths;
    }

    private void work(SimRank rank) {
        Process process = process(rank);
        processes.put(rank, process);
        rank.inParallel(threads, thread -> {
            Token token = process.epochs.register();
            for (int number = 0; number < operations / threads; number++) {
                orFail(() -> operate(rank, process, token));
            }
            orFail(token::unregister);
        });
        settle(rank, process.rankEpochs.keptPins());
    }

    /** Does what ticks of the rank do until the network is whole. */
    private static void settle(SimRank rank, KeptPins keptPins) {
        for (int attempt = 0; keptPins.areAny() && attempt < TICKS; attempt++) {
            keptPins.settle();
            rank.endpoint().clock().pause(attempt);
        }
    }

    /** If an operation meets a broken connection, or a rank that is not there, the thread goes on with another one. */
    private void orFail(Runnable operation) {
        try {
            operation.run();
        } catch (FabricException cut) {
            failures++;
        }
    }

    private Process process(SimRank rank) {
        var self = new Participant(rank.endpoint(), rank.incarnation(), of(rank), Duration.ofSeconds(10),
                this::incarnations);
        participants.put(rank, self);
        PoisoningReclamation reclamation = reclamation(self);
        var epochs = new EpochManager(() -> self, SETTINGS, any -> reclamation);
        return new Process(self, reclamation, epochs, new FullSegments(reclamation, epochs::snapshot));
    }

    private Liveness of(SimRank rank) {
        return new Liveness() {
            @Override
            public boolean isFenced(int any, int incarnation, int segment) {
                return liveness.isFenced(any, incarnation, segment);
            }

            @Override
            public Optional<LateVerbs> lateVerbs() {
                return Optional.of(rank.lateVerbs());
            }
        };
    }

    /** Tries again, as an epoch manager does when it is used next. */
    private PoisoningReclamation reclamation(Participant self) {
        while (true) {
            long[] blocks = new long[RANKS];
            Arrays.fill(blocks, BLOCK);
            try {
                return new PoisoningReclamation(self.latest(), blocks, SETTINGS, OBJECT_BYTES, poisoned, mistake,
                        () -> refused.test(bags++));
            } catch (FabricException away) {
                failures++;
                self.endpoint().clock().pause(1);
            }
        }
    }

    private int[] incarnations() {
        int[] incarnations = new int[RANKS];
        Arrays.setAll(incarnations,
                rank -> simulation.isDead(rank, simulation.incarnation(rank)) ? 0 : simulation.incarnation(rank));
        return incarnations;
    }

    private void operate(SimRank rank, Process process, Token token) {
        KeptPins keptPins = process.rankEpochs.keptPins();
        if (keptPins.areAny() && rank.random().nextInt(8) == 0) {
            kept++;
            keptPins.settle();
        }
        if (isDuel) {
            fight(rank, process, token);
            return;
        }
        if (isAsking) {
            ask(rank, process);
        }
        int owner = rank.random().nextInt(RANKS);
        long slot = SLOTS + rank.random().nextInt(SLOTS_PER_RANK) * 8L;
        switch (rank.random().nextInt(8)) {
            case 0, 1 -> look(process, token, owner, slot);
            case 2 -> update(process, token, owner, slot, rank.random().nextLong(1, 100));
            case 3, 4, 5 -> replace(process, token, owner, slot, isLossy ? owner : rank.random().nextInt(RANKS));
            default -> freed += token.tryReclaim();
        }
    }

    /** Does what a tick of the rank does, and an allocation that would fail. */
    private void ask(SimRank rank, Process process) {
        if (process.relief.isAsked()) {
            process.relief.serve();
        }
        if (rank.random().nextInt(4) == 0) {
            relieved += process.relief.relieveByPeers(rank.random().nextInt(RANKS), () -> {}) ? 1 : 0;
        }
    }

    private void fight(SimRank rank, Process process, Token token) {
        switch (rank.rank()) {
            case 0 -> token.tryReclaim();
            case 1 -> {
                if (isWriting || rank.random().nextInt(4) == 0) {
                    update(process, token, 0, SLOTS, 50);
                } else if (flushes) {
                    look(process, token, 0, SLOTS);
                } else {
                    // Nothing here may wait for writes to the object that are still under way.
                    process.self.endpoint().readWord(0, SLOTS);
                }
            }
            default -> {
                // As many as fill a bag: it is sealed under a pin that may be older than the epoch.
                try (Pin _ = token.pin()) {
                    replace(process, token, 0, SLOTS, 2);
                    replace(process, token, 0, SLOTS, 2);
                }
                token.tryReclaim();
            }
        }
    }

    private void look(Process process, Token token, int owner, long slot) {
        Endpoint endpoint = process.self.latest().endpoint();
        try (Pin _ = token.pin()) {
            long pointer;
            try (Pin _ = token.pin()) {
                pointer = endpoint.readWord(owner, slot);
            }
            for (int look = 0; look < (isDuel ? LOOKS_OF_A_DUEL : LOOKS) && pointer != 0; look++) {
                checkAlive(endpoint, pointer);
            }
        }
    }

    /** Both words of an object are always the same, except while they are being changed. */
    private static void checkAlive(Endpoint endpoint, long pointer) {
        for (long word = 0; word < 2; word++) {
            long value = endpoint.readWord(GlobalPointer.rankOf(pointer), GlobalPointer.offsetOf(pointer) + word * 8);
            assertThat(value).as("use after free of %s", GlobalPointer.fromWord(pointer)).isBetween(1L, 100L);
        }
    }

    private static void checkUntouched(Endpoint endpoint, long pointer) {
        for (long word = 0; word < 2; word++) {
            long value = endpoint.readWord(GlobalPointer.rankOf(pointer), GlobalPointer.offsetOf(pointer) + word * 8);
            assertThat(value).as("write after free of %s", GlobalPointer.fromWord(pointer))
                    .isEqualTo(PoisoningReclamation.POISON);
        }
    }

    private void update(Process process, Token token, int owner, long slot, long value) {
        Endpoint endpoint = process.self.latest().endpoint();
        try (Pin _ = token.pin()) {
            long pointer = endpoint.readWord(owner, slot);
            if (pointer != 0) {
                write(endpoint, pointer, value);
                if (flushes) {
                    endpoint.flush(GlobalPointer.rankOf(pointer));
                }
            }
        }
    }

    private static void write(Endpoint endpoint, long pointer, long value) {
        for (long word = 0; word < 2; word++) {
            endpoint.writeWord(GlobalPointer.rankOf(pointer), GlobalPointer.offsetOf(pointer) + word * 8, value);
        }
    }

    private void replace(Process process, Token token, int owner, long slot, int target) {
        Participant self = process.self.latest();
        Endpoint endpoint = self.endpoint();
        long created = self.heap().allocatePointer(target, OBJECT_BYTES).toWord();
        if (poisoned.remove(created)) {
            checkUntouched(endpoint, created);
        }
        write(endpoint, created, 1);
        endpoint.flush(target);
        try (Pin _ = token.pin()) {
            long old = endpoint.readWord(owner, slot);
            if (endpoint.compareAndExchange(owner, slot, old, created) != old) {
                self.heap().free(GlobalPointer.fromWord(created));
            } else if (old != 0) {
                token.retire(old, OBJECT_BYTES);
            }
        }
    }

    // --- what must be true in the end ---

    private void checkNothingIsGone() {
        // A world does this from time to time.
        processes.values().forEach(process -> process.self.reservations().retryAll());
        for (int rank = 0; rank < RANKS; rank++) {
            Process process = processes.get(simulation.rank(rank));
            if (process != null && !simulation.isDead(rank, simulation.incarnation(rank))) {
                assertThat(process.rankEpochs.keptPins().areAny()).as("pins that are kept in the end").isFalse();
                freed += process.epochs.clear();
                assertThat(process.rankEpochs.limbo().isEmpty()).as("nothing is in limbo").isTrue();
            }
        }
        Set<Long> linked = checkLinked();
        long gone = -linked.size();
        for (int rank = 0; rank < RANKS; rank++) {
            gone += processes.get(simulation.rank(0)).self.heap().usage(rank).objects();
        }
        assertThat(gone).as("objects that nobody has").isBetween(0L, (deaths() + breaks + failures) * lostByADeath());
        checkCounters();
    }

    /**
     * Returns the most objects that one death loses: what each thread had in hand, its open bag and the objects in it,
     * and a group that was being freed, with its bags.
     */
    private long lostByADeath() {
        return threads * (2L + 2 + 1) + LimboLists.GROUP * 3L + heldByTheDeadForGood();
    }

    /** A rank that stays dead leaves its limbo and its bags where they are. */
    private long heldByTheDeadForGood() {
        return deadForGood() * 100L;
    }

    private int deadForGood() {
        int dead = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            dead += simulation.isDead(rank, simulation.incarnation(rank)) ? 1 : 0;
        }
        return dead;
    }

    private Set<Long> checkLinked() {
        Endpoint endpoint = processes.get(simulation.rank(0)).self.endpoint();
        Set<Long> linked = new HashSet<>();
        for (int rank = 0; rank < RANKS; rank++) {
            for (int slot = 0; slot < SLOTS_PER_RANK; slot++) {
                long pointer = endpoint.readWord(rank, SLOTS + slot * 8L);
                if (pointer != 0) {
                    assertThat(linked.add(pointer)).as("linked once").isTrue();
                    checkAlive(endpoint, pointer);
                }
            }
        }
        return linked;
    }

    private void checkCounters() {
        EpochSnapshot snapshot = processes.get(simulation.rank(0)).epochs.snapshot();
        for (EpochSnapshot.Rank rank : snapshot.ranks()) {
            if (!simulation.isDead(rank.rank(), simulation.incarnation(rank.rank()))) {
                assertThat(rank.limbo()).as("what is counted of what is in limbo, where nothing is").isEmpty();
            }
            if (deaths() + breaks + failures == 0) {
                assertThat(rank.lost()).isZero();
                assertThat(rank.freed()).isEqualTo(rank.retired());
                assertThat(rank.freedBytes()).isEqualTo(rank.freed() * OBJECT_BYTES);
            }
        }
    }
}
