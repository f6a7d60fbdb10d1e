package io.atoll;

import io.atoll.fabric.Guarantees;
import io.atoll.failure.FabricException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.filter.FilterFigures;
import io.atoll.heap.HeapUsage;
import io.atoll.map.MapFigures;
import io.atoll.queue.FastQueue;
import io.atoll.queue.ring.TicketFigures;
import io.atoll.world.Participant;
import io.atoll.world.Peers;
import io.atoll.world.directory.Figures;
import io.atoll.world.directory.NamedStructure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A world as it stands, whole or not, for those who look on. Nothing is changed, and no rank is waited for: what lies at a rank that cannot be
 * reached is absent. Each look takes the reads that it names, so those who look often should keep what they saw for a while. Any thread may use it.
 */
public final class Inspection {

    private static final Map<String, Figures> FIGURES = Map.of("map", MapFigures.OF_OBJECTS, "long-map",
            MapFigures.OF_LONGS, "bloom-filter", new FilterFigures(), "queue", TicketFigures.CIRCULAR, "fast-queue",
            FastQueue.FIGURES);

    private final Participant participant;
    private final Peers peers;

    Inspection(Participant participant, Peers peers) {
        this.participant = participant;
        this.peers = peers;
    }

    /** Why this process takes part no more, if it has had to stop; what lies in segments is absent then. See {@link World#refusal()}. */
    public Optional<JoinRefusedException> refusal() {
        return peers.refusal();
    }

    /** What the fabric promises beyond its verbs. */
    public Guarantees guarantees() {
        return participant.endpoint().guarantees();
    }

    /** What each rank offers. */
    public long segmentBytes() {
        return participant.endpoint().fabric().local().size();
    }

    /** What the rank's segment is used for. Cost: R for each 512 slabs, and R for each slab of objects. */
    public Optional<HeapUsage> heapUsage(int rank) {
        return ifReachable(rank, () -> participant.heap().usage(rank));
    }

    /** The structures of the rank's directory, with their blocks in its segment. Cost: R for each entry, used or not, and for each structure. */
    public Optional<List<NamedStructure>> structures(int rank) {
        return ifReachable(rank, () -> participant.directory().structures(rank));
    }

    /**
     * What a structure shows of itself, read from its block in that rank's segment, which is its host's if it has a host; none of kinds that show nothing. Cost:
     * R, whatever its size.
     *
     * @param block as the rank's directory lists it
     */
    public Map<String, Double> figures(int rank, NamedStructure block) {
        Figures figures = FIGURES.get(block.kind());
        return figures == null || block.bytes() == 0
                ? Map.of()
                : ifReachable(rank, () -> figures.read(participant.endpoint(), rank, block)).orElse(Map.of());
    }

    /** How often this process has repaired what a dead rank had left in the middle of an operation, others at the same time included. */
    public long repairs() {
        return participant.reservations().repairs();
    }

    private <T> Optional<T> ifReachable(int rank, Supplier<T> look) {
        if (rank < 0 || rank >= participant.size()) {
            throw new IllegalArgumentException(
                    "ranks run from 0 to size - 1: rank=" + rank + " size=" + participant.size());
        }
        try {
            return Optional.of(look.get());
        } catch (FabricException unreachable) {
            return Optional.empty();
        }
    }
}
