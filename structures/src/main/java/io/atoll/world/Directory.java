package io.atoll.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * The named structures of a world. Any rank creates one, or attaches to what is there, without the others taking part.
 *
 * <p>Each rank's segment has a table that says where its own block of each structure lies. A creator reserves an entry and a block at every
 * rank, in the order of ranks, then makes all of them ready, in the same order. So rank 0 decides between creators of different
 * minds, two never wait for each other, and whoever comes across an entry that a dead creator has reserved frees what it
 * stood for and goes on in its place: a creation that was cut short is either finished by the next who asks, or leaves no trace.
 */
public final class Directory {

    /** Structures that a world can name, at most. */
    public static final int ENTRIES = 128;

    static final long AREA_BYTES = ENTRIES * DirectoryEntry.SIZE;

    private final Endpoint endpoint;
    private final Heap heap;
    private final Reservations reservations;
    private final long area;
    private final long ownReservation;

    Directory(Endpoint endpoint, Heap heap, Reservations reservations, long area, int incarnation) {
        this.endpoint = endpoint;
        this.heap = heap;
        this.reservations = reservations;
        this.area = area;
        this.ownReservation = DirectoryEntry.reserved(endpoint.rank(), incarnation);
    }

    /**
     * Attaches to the structure of this name, or creates it, its blocks zeroed. Cost: R for each rank where it exists; creating takes
     * about 5 A + 3 W for each.
     *
     * @param configuration everything that those who share it must agree on, as text
     * @param blockBytes how much it needs at each rank, 0 where nothing; must follow from the configuration
     * @return the offset of its block at each rank, 0 where it has none
     * @throws ConfigurationMismatchException when it exists with another configuration; shows both
     * @throws SegmentFullException when a segment has no room for it; nothing is left of the attempt
     * @throws io.atoll.failure.FabricTimeoutException when another rank that is creating a structure does not go on
     */
    public long[] open(String name, String configuration, IntToLongFunction blockBytes) {
        check("name", name, DirectoryEntry.MAXIMUM_NAME_BYTES);
        check("configuration", configuration, DirectoryEntry.MAXIMUM_CONFIGURATION_BYTES);
        long[] offsets = new long[endpoint.size()];
        long[] reserved = new long[endpoint.size()]; // offsets of the entries that this call has reserved, 0 for none
        try {
            for (int rank = 0; rank < offsets.length; rank++) {
                refuseOtherConfiguration(rank, name, configuration);
            }
            for (int rank = 0; rank < offsets.length; rank++) {
                offsets[rank] = attachOrReserve(rank, name, configuration, blockBytes.applyAsLong(rank), reserved);
            }
        } catch (RuntimeException failure) {
            release(reserved, offsets, failure);
            throw failure;
        }
        for (int rank = 0; rank < offsets.length; rank++) {
            if (reserved[rank] != 0) {
                publish(rank, reserved[rank], offsets[rank]);
            }
        }
        return offsets;
    }

    private static void check(String what, String text, int maximumBytes) {
        int bytes = text.getBytes(UTF_8).length;
        if (bytes == 0 || bytes > maximumBytes) {
            throw new IllegalArgumentException("a structure's " + what + " has 1 to " + maximumBytes + " bytes: bytes="
                    + bytes + " " + what + "=" + text);
        }
    }

    /** So that a creation of another configuration stops before it has reserved anything, even where the first ranks have lost their tables. */
    private void refuseOtherConfiguration(int rank, String name, String configuration) {
        find(rank, name).ifPresent(existing -> refuseIfDifferent(existing, configuration));
    }

    private static void refuseIfDifferent(NamedStructure existing, String configuration) {
        if (!existing.configuration().equals(configuration)) {
            throw new ConfigurationMismatchException(existing.name(), existing.configuration(), configuration);
        }
    }

    private Optional<NamedStructure> find(int rank, String name) {
        for (int probe = 0; probe < ENTRIES; probe++) {
            long entry = entry(name, probe);
            if (DirectoryEntry.kind(awaitSettled(rank, entry)) == DirectoryEntry.FREE) {
                return Optional.empty();
            }
            NamedStructure existing = read(rank, entry);
            if (existing.name().equals(name)) {
                return Optional.of(existing);
            }
        }
        return Optional.empty();
    }

    private long attachOrReserve(int rank, String name, String configuration, long bytes, long[] reserved) {
        for (int probe = 0; probe < ENTRIES; probe++) {
            long entry = entry(name, probe);
            while (DirectoryEntry.kind(awaitSettled(rank, entry)) == DirectoryEntry.FREE) {
                if (endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, DirectoryEntry.FREE,
                        ownReservation) == DirectoryEntry.FREE) {
                    reserved[rank] = entry;
                    return fill(rank, entry, name, configuration, bytes);
                }
            }
            NamedStructure existing = read(rank, entry);
            if (existing.name().equals(name)) {
                refuseIfDifferent(existing, configuration);
                return existing.offset();
            }
        }
        throw new IllegalStateException("the world's directory is full: entries=" + ENTRIES + " name=" + name);
    }

    private long fill(int rank, long entry, String name, String configuration, long bytes) {
        long offset = bytes == 0 ? 0 : heap.reserve(rank, bytes);
        Batch batch = endpoint.batch(rank);
        DirectoryEntry.encode(batch.buffer(), name, configuration, offset, bytes);
        batch.write(rank, entry + DirectoryEntry.OFFSET, DirectoryEntry.OFFSET,
                DirectoryEntry.SIZE - DirectoryEntry.OFFSET);
        batch.complete();
        return offset;
    }

    private void publish(int rank, long entry, long offset) {
        // (1) after fill has completed: whoever acquires READY (2) sees the rest of the entry.
        endpoint.writeWord(rank, entry + DirectoryEntry.STATE, DirectoryEntry.READY);
        endpoint.flush(rank);
        // Only now: the block of an entry that is not ready must remain one that can be taken back. See repair for a death in between.
        if (offset != 0) {
            heap.commit(rank, offset);
        }
    }

    /** Undoes what this call has reserved, block first: an entry that is free again stands for nothing. */
    private void release(long[] reserved, long[] offsets, RuntimeException failure) {
        for (int rank = 0; rank < reserved.length; rank++) {
            try {
                if (offsets[rank] != 0 && reserved[rank] != 0) {
                    heap.free(rank, offsets[rank]);
                }
                if (reserved[rank] != 0) {
                    endpoint.compareAndExchange(rank, reserved[rank] + DirectoryEntry.STATE, ownReservation,
                            DirectoryEntry.FREE);
                }
            } catch (FabricException unreachable) {
                // Stays reserved there until this rank's incarnation has ended and somebody repairs it.
                failure.addSuppressed(unreachable);
            }
        }
    }

    /** The entry's state, FREE or READY, once nobody is in the middle of writing it. */
    private long awaitSettled(int rank, long entry) {
        while (true) {
            // (2) acquire: pairs with the write of READY in publish (1).
            long state = endpoint.readWord(rank, entry + DirectoryEntry.STATE);
            if (DirectoryEntry.kind(state) != DirectoryEntry.RESERVED) {
                return state;
            }
            reservations.awaitSettled(rank, entry + DirectoryEntry.STATE, state, DirectoryEntry.rank(state),
                    DirectoryEntry.incarnation(state),
                    () -> repair(rank, entry, state), "open a structure");
        }
    }

    /**
     * Takes back what a dead rank has reserved in this segment for structures that it did not finish. Each step may be done by several at once, and
     * again. Entries that it made ready without having committed their blocks are complete: those are committed first.
     */
    private void repair(int rank, long entry, long reservation) {
        for (NamedStructure structure : structures(rank)) {
            if (structure.offset() != 0) {
                heap.commit(rank, structure.offset());
            }
        }
        heap.reclaimPending(rank, DirectoryEntry.rank(reservation), DirectoryEntry.incarnation(reservation));
        endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, reservation, DirectoryEntry.FREE);
    }

    private NamedStructure read(int rank, long entry) {
        Batch batch = endpoint.batch(rank);
        batch.read(rank, entry, 0, DirectoryEntry.SIZE);
        batch.complete();
        return DirectoryEntry.decode(batch.buffer());
    }

    private long entry(String name, int probe) {
        long hash = Hashing.wyhashFinal4().hashBytesToLong(name.getBytes(UTF_8));
        return area + Math.floorMod(hash + probe, (long) ENTRIES) * DirectoryEntry.SIZE;
    }

    /** What the directory of a rank lists, in no particular order. Cost: R for each of the {@value #ENTRIES} entries, and for each structure. */
    public List<NamedStructure> structures(int rank) {
        List<NamedStructure> structures = new ArrayList<>();
        for (int index = 0; index < ENTRIES; index++) {
            long entry = area + index * DirectoryEntry.SIZE;
            if (DirectoryEntry.kind(endpoint.readWord(rank, entry + DirectoryEntry.STATE)) == DirectoryEntry.READY) {
                structures.add(read(rank, entry));
            }
        }
        return structures;
    }
}
