package io.atoll.map;

import io.atoll.codec.FixedHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Two ranks. Rank 0 listens to what its operations cost. */
final class CostWorld {

    /** Buckets of up to a line arrive whole. */
    static final Guarantees LINES = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false);
    static final Guarantees LINES_IN_ANY_ORDER = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, false, false);
    static final Guarantees WORDS = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, false);
    static final Guarantees WORDS_IN_ANY_ORDER = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, false);
    static final Guarantees COHERENT = SimOptions.SHARED_MEMORY;

    static final List<Guarantees> EVERY = List.of(LINES, LINES_IN_ANY_ORDER, WORDS, WORDS_IN_ANY_ORDER, COHERENT);

    static final int RANKS = 2;
    static final long CAPACITY = 6_000; // blocks of 4,096 buckets or 8,192: keys of a test do not meet by chance

    private final RecordingFabric fabric;
    private final Participant participant;
    private final EpochManager epochs;

    CostWorld(Guarantees guarantees) {
        this(guarantees, 4 << 20);
    }

    CostWorld(Guarantees guarantees, long segmentBytes) {
        var simulation = new Simulation(1,
                SimOptions.ranks(RANKS).segmentBytes(segmentBytes).guarantees(guarantees).unmapped());
        fabric = new RecordingFabric(simulation.fabric(0));
        participant = new Participant(new Endpoint(fabric), 1, (rank, incarnation, segment) -> false,
                Duration.ofSeconds(1), () -> new int[RANKS]);
        epochs = new EpochManager(this::participant, EpochSettings.DEFAULT);
    }

    Participant participant() {
        return participant;
    }

    EpochManager epochs() {
        return epochs;
    }

    /** Returns text such as {@code A8 W24 in 2}: kinds and bytes of the verbs in their order, and round trips. */
    String costOf(Runnable operation) {
        return text(fabric.record(operation));
    }

    int verbsOf(Runnable operation) {
        return fabric.record(operation).verbs().size();
    }

    /** Returns the ranks whose segments the operation uses. */
    List<Integer> ranksOf(Runnable operation) {
        return List.copyOf(fabric.record(operation).ranks());
    }

    private static String text(Journal journal) {
        return journal.verbs().isEmpty()
                ? "no verb"
                : journal.verbs().stream().map(verb -> "" + verb.kind() + verb.bytes()).collect(Collectors.joining(" "))
                        + " in " + journal.roundTrips();
    }

    /** Returns keys that the rank owns and that all have the same home in a block of this many buckets. */
    static List<Long> keys(int owner, long buckets, int count) {
        Placement placement = new Placement(RANKS, buckets);
        return LongStream.range(1, 10_000_000)
                .filter(key -> placement.owner(FixedHash.of(key)) == owner && placement.home(FixedHash.of(key)) == 1)
                .limit(count)
                .boxed()
                .toList();
    }
}
