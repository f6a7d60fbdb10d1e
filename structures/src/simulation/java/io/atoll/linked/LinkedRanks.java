package io.atoll.linked;

import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.PoisoningReclamation;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.Arrays;

/**
 * Two ranks. Rank 0 uses a linked structure that rank 1 hosts, and records what its operations cost. Freed nodes are
 * overwritten.
 */
public final class LinkedRanks {

    public static final int HOST = 1;
    public static final long STRUCTURE = (192 << 10) - (8 << 10);

    private static final long EPOCHS = (192 << 10) - (16 << 10);

    private final RecordingFabric fabric;
    private final Participant self;
    private final Nodes<Long> nodes;
    private final EpochManager epochs;

    public LinkedRanks(Guarantees guarantees) {
        var simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(192 << 10).guarantees(guarantees));
        fabric = new RecordingFabric(simulation.fabric(0));
        self = Participants.of(fabric, simulation::isFenced);
        nodes = new Nodes<>(self.endpoint(), self.heap(), HOST, Codecs.forType(Long.class));
        long[] blocks = new long[2];
        Arrays.fill(blocks, EPOCHS);
        epochs = PoisoningReclamation.manager(self, blocks, nodes.bytes());
    }

    public Participant self() {
        return self;
    }

    public Nodes<Long> nodes() {
        return nodes;
    }

    public EpochManager epochs() {
        return epochs;
    }

    /** Returns costs such as {@code RRA in 3}. */
    public String costs(Runnable operation) {
        Journal journal = fabric.record(operation);
        return "R".repeat(journal.reads()) + "W".repeat(journal.writes()) + "A".repeat(journal.atomics()) + " in "
                + journal.roundTrips();
    }

    /** Returns the number of objects that are in use in the host's segment. */
    public long objects() {
        return self.heap().usage(HOST).objects();
    }
}
