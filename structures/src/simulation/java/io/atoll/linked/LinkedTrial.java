package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.PoisoningReclamation;
import io.atoll.epoch.Token;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.SequentialSpecification;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FabricException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Simulated ranks that push and pop at one linked structure, whose nodes are overwritten when they are freed. It fails
 * if their results are not possible one after the other, or if a rank comes across a freed node. It also fails if in
 * the end more nodes are gone than deaths explain.
 */
public final class LinkedTrial {

    /** The fabrics on which operations take other ways. */
    static final List<Guarantees> FABRICS = Stream.concat(SimOptions.EVERY_FABRIC.stream(), Stream.of(SimOptions.TCP))
            .toList();

    static final int RANKS = 3;
    private static final long SEGMENT_BYTES = 192 << 10;
    static final long EPOCHS = SEGMENT_BYTES - (16 << 10); // nothing lies there as long as nothing is opened by name
    static final long STRUCTURE = SEGMENT_BYTES - (8 << 10);
    static final int HOST = 1;
    private static final long EMPTY = 0;
    private static final long LOOK = -1;
    private static final Codec<Long> CODEC = Codecs.forType(Long.class);

    /** A structure under test, as one process uses it. */
    public interface Client {

        void push(Token token, long value);

        @Nullable Long pop(Token token);
    }

    /** Opens the structure. */
    public interface Opener {
        Client open(Participant self, int host, long block, Nodes<Long> nodes, EpochManager epochs);
    }

    /** A push of a value, a pop, or a look at the depth. */
    public record Operation(long value) {

        boolean isPush() {
            return value > EMPTY;
        }

        @Override
        public String toString() {
            return isPush() ? "push " + value : value == LOOK ? "depth" : "pop";
        }
    }

    /** Returns the order of a stack (last in, first out) or of a queue (first in, first out). */
    public static SequentialSpecification<List<Long>, Operation, Long> order(boolean lastFirst) {
        return new SequentialSpecification<>() {

            @Override
            public List<Long> initial() {
                return List.of();
            }

            @Override
            public Outcome<List<Long>, Long> apply(List<Long> values, Operation operation) {
                List<Long> changed = new ArrayList<>(values);
                if (operation.isPush()) {
                    changed.add(operation.value);
                    return new Outcome<>(changed, operation.value);
                }
                if (operation.value == LOOK) {
                    return new Outcome<>(values, (long) values.size());
                }
                if (values.isEmpty()) {
                    return new Outcome<>(values, EMPTY);
                }
                long popped = lastFirst ? changed.removeLast() : changed.removeFirst();
                return new Outcome<>(changed, popped);
            }
        };
    }

    private final Simulation simulation;
    private final Opener opener;
    private final History<Operation, Long> history;
    private final Map<SimRank, Process> processes = new HashMap<>();
    private final int nodesWhenEmpty;
    private int operations = 8;
    private long lastValue;
    private long failures;
    private int breaks;
    private @Nullable Function<Endpoint, Map<String, Double>> look;

    private record Process(Participant self, EpochManager epochs, Client client) {}

    /** @param nodesWhenEmpty the number of nodes that the structure keeps when nothing is in it */
    public LinkedTrial(long seed, SimOptions options, int nodesWhenEmpty, Opener opener) {
        this.simulation = new Simulation(seed, options);
        this.opener = opener;
        this.history = new History<>(simulation);
        this.nodesWhenEmpty = nodesWhenEmpty;
    }

    /** Returns the options of a world in which such a trial has room. */
    public static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).maximumSteps(1_000_000);
    }

    /** Returns errors that strike the operations of such a structure. */
    LinkedStrikes strikes(Guarantees guarantees, boolean isAfter) {
        return new LinkedStrikes(guarantees, isAfter, nodesWhenEmpty, opener);
    }

    public LinkedTrial operations(int count) {
        operations = count;
        return this;
    }

    /** Sets how often connections break at most. A user of the structure does not always see what that loses. */
    public LinkedTrial breaks(int most) {
        breaks = most;
        return this;
    }

    /**
     * Lets a monitor look now and then. Its figures contain a depth that must be right at some moment during the look.
     */
    public LinkedTrial lookedAt(Function<Endpoint, Map<String, Double>> figures) {
        look = figures;
        return this;
    }

    /** Returns the depth of the structure that is looked at. */
    public static Depth depth(Endpoint endpoint, boolean countingLinks) {
        return new Depth(endpoint, HOST, STRUCTURE, countingLinks);
    }

    public void run(SequentialSpecification<List<Long>, Operation, Long> specification) {
        runWithoutLookingBack(specification);
        checkNothingIsGone();
    }

    /** Runs without the final check that all nodes are freed. */
    public void runWithoutLookingBack(SequentialSpecification<List<Long>, Operation, Long> specification) {
        simulation.onDeath(this::work).run(this::work);
        empty(processes.get(simulation.rank(0)));
        Linearizability.check(history, specification);
    }

    private void work(SimRank rank) {
        Process process = awaitProcess(rank);
        processes.put(rank, process);
        Token token = process.epochs.register();
        int failed = 0;
        // The outcome of an operation that failed is unknown. With many of them everything would be possible, and no
        // check would end.
        for (int number = 0; number < operations && failed < 2; number++) {
            int kind = rank.random().nextInt(8);
            failed += orFail(() -> operate(kind, process, token)) ? 0 : 1;
        }
        orFail(token::unregister);
    }

    private void operate(int kind, Process process, Token token) {
        switch (kind) {
            case 0, 1, 2 -> push(process, token);
            case 3, 4, 5 -> pop(process, token);
            case 6 -> lookOrReclaim(process, token);
            default -> token.tryReclaim();
        }
    }

    private void lookOrReclaim(Process process, Token token) {
        if (look == null) {
            token.tryReclaim();
        } else {
            look(process, look);
        }
    }

    /** Looks at the depth until no thread unlinks a node meanwhile. */
    private void look(Process process, Function<Endpoint, Map<String, Double>> figures) {
        history.call(new Operation(LOOK), () -> {
            Double depth = figures.apply(process.self.endpoint()).get("depth");
            while (depth == null) {
                depth = figures.apply(process.self.endpoint()).get("depth");
            }
            return depth.longValue();
        });
    }

    /** Returns false if a connection breaks, or a rank is not there. */
    private boolean orFail(Runnable operation) {
        try {
            operation.run();
            return true;
        } catch (FabricException cut) {
            failures++;
            return false;
        }
    }

    /** Tries again to open the structure until the host can be reached. */
    private Process awaitProcess(SimRank rank) {
        var backoff = new Backoff(rank.fabric().clock(), Backoff.UNBOUNDED);
        while (true) {
            try {
                return process(rank);
            } catch (FabricException cut) {
                failures++;
                backoff.pause();
            }
        }
    }

    private Process process(SimRank rank) {
        var self = Participants.of(rank);
        var nodes = new Nodes<>(self.endpoint(), self.heap(), HOST, CODEC);
        long[] blocks = new long[RANKS];
        Arrays.fill(blocks, EPOCHS);
        EpochManager epochs = PoisoningReclamation.manager(self, blocks, nodes.bytes());
        return new Process(self, epochs, opener.open(self, HOST, STRUCTURE, nodes, epochs));
    }

    private void push(Process process, Token token) {
        long value = ++lastValue;
        history.call(new Operation(value), () -> {
            process.client.push(token, value);
            return value;
        });
    }

    private long pop(Process process, Token token) {
        return history.call(new Operation(EMPTY), () -> {
            Long value = process.client.pop(token);
            long popped = value == null ? EMPTY : value;
            assertThat(popped).as("use after free").isNotEqualTo(PoisoningReclamation.POISON);
            return popped;
        });
    }

    private void empty(Process process) {
        try (Token token = process.epochs.register()) {
            long popped = pop(process, token);
            while (popped != EMPTY) {
                popped = pop(process, token);
            }
        }
    }

    private void checkNothingIsGone() {
        // Undoes what failed, as a world does from time to time.
        processes.values().forEach(process -> process.self.reservations().retryAll());
        long deaths = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            boolean isDead = simulation.isDead(rank, simulation.incarnation(rank));
            deaths += simulation.incarnation(rank) - 1 + (isDead ? 1 : 0);
            Process process = processes.get(simulation.rank(rank));
            if (process != null && !isDead) {
                process.epochs.clear();
            }
        }
        // A death may lose what the rank had in hand and what it was freeing. If it stays dead, it also loses what it
        // had in limbo: nodes and bags of them.
        long lostByADeath = 2L * operations + 3L * 16;
        long objects = -nodesWhenEmpty;
        for (int rank = 0; rank < RANKS; rank++) {
            objects += processes.get(simulation.rank(0)).self.heap().usage(rank).objects();
        }
        assertThat(objects).as("nodes that nobody has").isBetween(0L, (deaths + breaks + failures) * lostByADeath);
    }
}
