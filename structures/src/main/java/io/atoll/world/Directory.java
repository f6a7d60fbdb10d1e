package io.atoll.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.SegmentLostException;
import io.atoll.failure.StructureName;
import io.atoll.heap.Heap;
import io.atoll.memory.LocalMemory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The named structures of a world. Any rank creates one, or attaches to an existing one, without the others taking
 * part.
 *
 * <p>Each rank's segment has a table that says where the rank's block of each structure lies. A creator goes through
 * the ranks that have no entry for the structure, in the order of ranks. At each it reserves an entry and a block. Then
 * it makes all of them ready. So the first of these ranks decides between creators that ask for different
 * configurations. Two creators never wait for each other. A process that finds an entry of a dead creator frees what
 * the entry stood for. Then it goes on in the creator's place. So a creation that was cut short is finished by the next
 * process that asks, or it leaves no trace. A living creator gives up if a rank goes away, and undoes its part there
 * when that rank is back.
 *
 * <p>A table that is full continues in another one. That one lies in a block of its own, which the table's last entry
 * names. It is created as structures are, at the one rank that needs it:
 * <pre>
 *   area:  | entry | entry | ... | entry | next --> | entry | entry | ... | entry | next |
 * </pre>
 * Where there is no room for another table of this length, a shorter one takes one slab. So two free slabs are enough
 * for a structure that takes one.
 *
 * <p>A process remembers all ready entries that it has read ({@link KnownEntries}). It reads those that are new from
 * all ranks at once. So opening many structures takes as many round trips as opening one.
 */
public class Directory {

    /**
     * Entries of a table: all but the last are for structures, the last one is for the table in which it continues. A
     * further table has fewer where there is no room for so many.
     */
    public static final int ENTRIES = 128;

    private static final String NEXT_TABLE = "directory";

    /** The size of each rank's first table. */
    public static final long AREA_BYTES = ENTRIES * DirectoryEntry.SIZE;

    /** The kind of an entry that is no structure, but a word that ranks agree on. */
    private static final String AGREED = "agreed";

    private static final long NO_TABLE = -1;

    private static final Replacement.Beginning NOTHING_FIRST = Replacement.NONE.beginning();

    private final Endpoint endpoint;
    private final Heap heap;
    private final Liveness liveness;
    private final Reservations reservations;
    private final long area;
    private final int entries;
    private final int incarnation;
    private final StepObserver stepObserver;
    private final AtomicInteger attempts; // of this process, by any of its directories
    private final KnownEntries known;

    /**
     * @param area where each rank's table lies in its segment
     * @param entries of a table where there is room for it, 2 or more; {@link #ENTRIES} except in tests
     * @param incarnation of this rank
     */
    public Directory(Endpoint endpoint, Heap heap, Liveness liveness, Reservations reservations, long area, int entries,
            int incarnation) {
        this(endpoint, heap, liveness, reservations, area, entries, incarnation, StepObserver.UNOBSERVED);
    }

    /** @param stepObserver runs every opening */
    public Directory(Endpoint endpoint, Heap heap, Liveness liveness, Reservations reservations, long area, int entries,
            int incarnation, StepObserver stepObserver) {
        this(endpoint, heap, liveness, reservations, area, entries, incarnation, stepObserver, new AtomicInteger());
    }

    private Directory(Endpoint endpoint, Heap heap, Liveness liveness, Reservations reservations, long area,
            int entries, int incarnation, StepObserver stepObserver, AtomicInteger attempts) {
        this.attempts = attempts;
        this.stepObserver = stepObserver;
        this.endpoint = endpoint;
        this.heap = heap;
        this.liveness = liveness;
        this.reservations = reservations;
        this.area = area;
        this.entries = entries;
        this.incarnation = incarnation;
        this.known = new KnownEntries(endpoint, area, entries);
    }

    /**
     * Returns the same directory for a participant that reaches ranks by that endpoint, after one rank has lost its
     * segment.
     */
    public final Directory by(Endpoint renewed, Heap renewedHeap, Reservations renewedReservations) {
        return new Directory(renewed, renewedHeap, liveness, renewedReservations, area, entries, incarnation,
                stepObserver, attempts);
    }

    /**
     * Attaches to the structure of this name, or creates it, with zeroed blocks. Cost: none if this process has learned
     * of the structure. Otherwise it looks at the last table of all ranks in 2 round trips, and learns of all
     * structures there. That is R for each of the {@value #ENTRIES} entries, and R for each structure. It takes 2 round
     * trips more for each table that is full, once in a process. Creating takes 4 R + 4 A + 2 W more for each rank, and
     * more where a segment is well used. Where tables are full it takes 2 R more.
     *
     * @param name 1 to {@value DirectoryEntry#MAXIMUM_NAME_BYTES} bytes of UTF-8
     * @param configuration everything that the ranks that share the structure must agree on, as text. If it has more
     * than {@value DirectoryEntry#MAXIMUM_CONFIGURATION_BYTES} bytes of UTF-8, the directory keeps its beginning and a
     * hash of 128 bits
     * @param blockBytes how many bytes it needs at each rank, 0 where none; must follow from the configuration
     * @return the offset of its block at each rank, 0 where it has none
     * @throws ConfigurationMismatchException if it exists with another configuration; shows both
     * @throws SegmentFullException if a segment has no room for it; nothing is left of the attempt
     * @throws SegmentLostException if a rank has lost its segment, and with it a block of the structure
     * @throws io.atoll.failure.RankUnreachableException if a rank is not there
     * @throws io.atoll.failure.FabricTimeoutException if another rank that is creating a structure does not go on
     */
    public final long[] open(String name, String configuration, IntToLongFunction blockBytes) {
        return open(name, configuration, blockBytes, OnLoss.FAIL);
    }

    /**
     * As {@link #open(String, String, IntToLongFunction)}.
     *
     * @param onLoss becomes part of the configuration; with {@link OnLoss#EMPTY}, a lost block is made anew, zeroed
     */
    public final long[] open(String name, String configuration, IntToLongFunction blockBytes, OnLoss onLoss) {
        return open(name, configuration, blockBytes, onLoss, Replacement.NONE);
    }

    /**
     * As {@link #open(String, String, IntToLongFunction, OnLoss)}.
     *
     * @param replacement of lost blocks, the same at all ranks that open the structure
     */
    public final long[] open(String name, String configuration, IntToLongFunction blockBytes, OnLoss onLoss,
            Replacement replacement) {
        checkName(name);
        String asked = DirectoryEntry.fitting(configuration + onLoss.configuration());
        return stepObserver.run(StepObserver.Step.OPEN_STRUCTURE, name,
                () -> openNamed(name, asked, blockBytes, onLoss, replacement));
    }

    private long[] openNamed(String name, String asked, IntToLongFunction blockBytes, OnLoss onLoss,
            Replacement replacement) {
        StructureName structure = new StructureName(name, NamedStructure.kind(asked));
        try {
            long[] offsets = attachOrCreate(name, asked, blockBytes, onLoss, replacement);
            long[] bytes = IntStream.range(0, offsets.length).mapToLong(blockBytes::applyAsLong).toArray();
            endpoint.structures().opened(structure, offsets, bytes);
            return offsets;
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    /**
     * As {@link #open}, for a structure that one rank hosts. The host becomes part of its configuration.
     *
     * @throws IllegalArgumentException if the world has no such host
     */
    public final long[] openAt(int host, String name, String configuration, IntToLongFunction blockBytes) {
        return open(name, hosted(host, name, configuration), blockBytes);
    }

    /**
     * As {@link #openAt(int, String, String, IntToLongFunction)}.
     *
     * @param onLoss what happens when the host loses its segment
     * @param replacement of lost blocks
     */
    public final long[] openAt(int host, String name, String configuration, IntToLongFunction blockBytes, OnLoss onLoss,
            Replacement replacement) {
        return open(name, hosted(host, name, configuration), blockBytes, onLoss, replacement);
    }

    private String hosted(int host, String name, String configuration) {
        return configuration + " host=" + checkHost(name, host);
    }

    /**
     * Returns the host of a structure.
     *
     * @throws IllegalArgumentException if the world has no such rank
     */
    public final int checkHost(String name, int host) {
        if (host < 0 || host >= endpoint.size()) {
            throw new IllegalArgumentException(
                    "the world has no such rank: structure=" + name + " size=" + endpoint.size() + " host=" + host);
        }
        return host;
    }

    /**
     * As {@link #openAt(int, String, String, IntToLongFunction)}, for a structure that needs nothing at other ranks.
     * Returns the offset of its block.
     */
    public final long openAt(int host, String name, String configuration, long blockBytes) {
        return openAt(host, name, configuration, blockBytes, OnLoss.FAIL);
    }

    /** As {@link #openAt(int, String, String, long)}, with the given behaviour when the host loses its segment. */
    public final long openAt(int host, String name, String configuration, long blockBytes, OnLoss onLoss) {
        return open(name, hosted(host, name, configuration), rank -> rank == host ? blockBytes : 0, onLoss)[host];
    }

    /**
     * Returns a word that all ranks agree on. The first rank that asks proposes it; it stays until all segments of the
     * world are lost. Cost: as {@link #open}, and 2 R for each rank until one knows the word.
     *
     * @param name of the word; no structure may have it
     */
    public final long agree(String name, LongSupplier proposal) {
        checkName(name);
        // Not observed, and without meters: for observers of the world it is no structure.
        for (int attempts = 1;; attempts++) {
            String configuration = agreed(name).orElseGet(() -> AGREED + "=" + proposal.getAsLong());
            try {
                attachOrCreate(name, configuration, _ -> 0, OnLoss.EMPTY, Replacement.NONE);
                return word(configuration);
            } catch (ConfigurationMismatchException other) {
                // Another process was first at some rank, and its word is there now.
                if (attempts > endpoint.size()) {
                    throw other;
                }
            }
        }
    }

    /** Returns the word that is agreed on, as far as that rank knows it. Waits for no other rank. Cost: 3 R. */
    public final OptionalLong agreedAt(int rank, String name) {
        NamedStructure learned = known.find(rank, name);
        if (learned != null) {
            return OptionalLong.of(word(learned.configuration()));
        }
        for (long table : tables(rank)) {
            for (int probe = 0; probe < places(rank, table); probe++) {
                long entry = entry(rank, table, name, probe);
                if (DirectoryEntry.kind(
                        endpoint.readWord(rank, entry + DirectoryEntry.STATE)) != DirectoryEntry.READY) {
                    break;
                }
                NamedStructure existing = known.entry(rank, entry);
                if (existing.name().equals(name)) {
                    return OptionalLong.of(word(existing.configuration()));
                }
            }
        }
        return OptionalLong.empty();
    }

    private Optional<String> agreed(String name) {
        learnOf(name);
        for (int rank = 0; rank < endpoint.size(); rank++) {
            Optional<NamedStructure> existing = find(rank, name);
            if (existing.isPresent()) {
                return existing.map(NamedStructure::configuration);
            }
        }
        return Optional.empty();
    }

    private static long word(String configuration) {
        return Long.parseLong(configuration.substring(AGREED.length() + 1));
    }

    /**
     * Attaches to the block that one rank has of a structure that is opened with {@link OnLoss#EMPTY}, or makes it. For
     * a caller that knows the blocks of the other ranks. Cost: as for one rank of {@link #open(String, String,
     * IntToLongFunction)}.
     *
     * @return the offset of the block
     */
    public final long openPart(int rank, String name, String configuration, long bytes, OnLoss onLoss) {
        String asked = DirectoryEntry.fitting(configuration + onLoss.configuration());
        long[] offsets = new long[endpoint.size()];
        find(rank, name).ifPresentOrElse(existing -> offsets[rank] = attach(existing, asked),
                () -> create(name, asked, _ -> bytes, List.of(rank), offsets, births(onLoss), NOTHING_FIRST));
        return offsets[rank];
    }

    /**
     * Attaches to the block that one rank has of a structure. If the block was lost, makes a new one. For a process
     * that has a block of its own, and knows those of the others. No other rank is asked. Cost: as for one rank of
     * {@link #open(String, String, IntToLongFunction)}, and 2 R at this rank.
     *
     * @return the offset of the block
     */
    public final long replace(int rank, String name, String configuration, long bytes,
            Replacement.Beginning beginning) {
        String asked = DirectoryEntry.fitting(configuration);
        long[] offsets = new long[endpoint.size()];
        // A process that finds a part missing compares with the earliest births. They are the same with this block as
        // without it.
        find(rank, name).ifPresentOrElse(existing -> offsets[rank] = attach(existing, asked),
                () -> create(name, asked, _ -> bytes, List.of(rank), offsets,
                        find(endpoint.rank(), name).orElseThrow().births(), beginning));
        return offsets[rank];
    }

    private long[] attachOrCreate(String name, String asked, IntToLongFunction blockBytes, OnLoss onLoss,
            Replacement replacement) {
        long[] offsets = new long[endpoint.size()];
        List<Integer> absent = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        Set<Integer> unsettled = learnOf(name);
        // Asks all ranks before it reserves anything: a creation with another configuration stops here even if some
        // have lost their tables.
        for (int rank = 0; rank < offsets.length; rank++) {
            NamedStructure existing = unsettled.contains(rank) ? find(rank, name).orElse(null) : known.find(rank, name);
            if (existing == null) {
                absent.add(rank);
            } else {
                refuseIfDifferent(existing, asked);
                offsets[rank] = existing.offset();
                earliest = Math.min(earliest, existing.births());
            }
        }
        if (!absent.isEmpty()) {
            long births = births(onLoss);
            boolean lost = earliest < births;
            if (lost) {
                refuseIfLost(absent, blockBytes, replacement);
            }
            create(name, asked, blockBytes, absent, offsets, births, lost ? replacement.beginning() : NOTHING_FIRST);
        }
        return offsets;
    }

    /**
     * Returns the sum of the incarnations in which all present segments were made. A process that created a part of the
     * structure earlier has found less, or as much. Returns 0 where the sum is never compared.
     */
    private long births(OnLoss onLoss) {
        return onLoss == OnLoss.FAIL ? IntStream.of(births()).asLongStream().sum() : 0;
    }

    /**
     * Returns the incarnation in which each rank's segment was made. Cost: none after an {@link #open}; otherwise R for
     * each rank.
     */
    public final int[] births() {
        return IntStream.range(0, endpoint.size()).map(rank -> (int) known.born(rank)).toArray();
    }

    /**
     * Some segment was lost after other ranks had got their parts of the structure. A rank that has no part now had it
     * in that segment. A creation that was cut short before counts as lost, too: the two cannot be told apart.
     */
    private void refuseIfLost(List<Integer> absent, IntToLongFunction blockBytes, Replacement replacement) {
        for (int rank : absent) {
            if (blockBytes.applyAsLong(rank) > 0 && !replacement.ranks().test(rank)) {
                throw new SegmentLostException((int) known.born(rank), "open", rank, FabricException.WHOLE_SEGMENT);
            }
        }
    }

    private static void checkName(String name) {
        byte[] utf8 = name.getBytes(UTF_8);
        if (utf8.length == 0 || utf8.length > DirectoryEntry.MAXIMUM_NAME_BYTES) {
            throw new IllegalArgumentException("a structure's name has 1 to " + DirectoryEntry.MAXIMUM_NAME_BYTES
                    + " bytes: bytes=" + utf8.length + " name=" + name);
        }
        if (!name.equals(new String(utf8, UTF_8))) {
            throw new IllegalArgumentException("half of a surrogate pair is in no name: name=" + name);
        }
    }

    void refuseIfDifferent(NamedStructure existing, String configuration) {
        if (!existing.configuration().equals(configuration)) {
            throw new ConfigurationMismatchException(existing.name(), existing.configuration(), configuration);
        }
    }

    /**
     * Makes sure that each rank is known to have the structure, or has been looked at just now.
     *
     * @return the ranks at which an entry was being written: it may be that of the structure
     */
    private Set<Integer> learnOf(String name) {
        List<Integer> unknown = IntStream.range(0, endpoint.size())
                .filter(rank -> known.find(rank, name) == null)
                .boxed()
                .toList();
        return known.look(unknown).stream().map(KnownEntries.Reserved::rank).collect(Collectors.toSet());
    }

    /** Returns the structure as the rank lists it, once no process is in the middle of writing it. */
    private Optional<NamedStructure> find(int rank, String name) {
        long table = known.next(rank);
        NamedStructure learned = known.find(rank, name);
        if (learned != null) {
            return Optional.of(learned);
        }
        while (table != NO_TABLE) {
            for (int probe = 0; probe < places(rank, table); probe++) {
                long entry = entry(rank, table, name, probe);
                if (DirectoryEntry.kind(awaitSettled(rank, entry)) == DirectoryEntry.FREE) {
                    return Optional.empty();
                }
                NamedStructure existing = known.entry(rank, entry);
                if (existing.name().equals(name)) {
                    return Optional.of(existing);
                }
            }
            long following = next(rank, table);
            if (following != NO_TABLE) {
                known.passed(rank, table, following);
            }
            table = following;
        }
        return Optional.empty();
    }

    private long next(int rank, long table) {
        return DirectoryEntry.kind(awaitSettled(rank, known.link(rank, table))) == DirectoryEntry.FREE
                ? NO_TABLE
                : known.following(rank, table);
    }

    /**
     * Creates the next table if there is none. A creator waits for no other rank meanwhile, so processes that wait for
     * it do not wait in a circle.
     */
    private long nextOrCreate(int rank, long table, long reservation) {
        long link = known.link(rank, table);
        while (DirectoryEntry.kind(awaitSettled(rank, link)) == DirectoryEntry.FREE) {
            Creation creation = creation(endpoint, heap, rank, link, reservation);
            boolean settled = false;
            try {
                if (creation.reserveEntry()) {
                    int reserved = reserveTable(creation);
                    creation.describe(NEXT_TABLE, "entries=" + reserved, reserved * DirectoryEntry.SIZE, 0);
                    creation.publish();
                }
                settled = true;
            } finally {
                if (!settled) {
                    undo(creation);
                }
            }
        }
        return next(rank, table);
    }

    /** Reserves room for a table. Returns how many entries it has. */
    private int reserveTable(Creation creation) {
        int fewest = Math.max(2, (int) (heap.slabBytes() / DirectoryEntry.SIZE)); // one slab
        try {
            reserveBlock(creation, entries * DirectoryEntry.SIZE);
            return entries;
        } catch (SegmentFullException full) {
            if (entries <= fewest) {
                throw full;
            }
            reserveBlock(creation, fewest * DirectoryEntry.SIZE);
            return fewest;
        }
    }

    private void create(String name, String configuration, IntToLongFunction blockBytes, List<Integer> absent,
            long[] offsets, long births, Replacement.Beginning beginning) {
        long reservation = DirectoryEntry.reserved(endpoint.rank(), incarnation, attempts.getAndIncrement());
        List<Creation> creations = new ArrayList<>();
        try {
            for (int rank : absent) {
                offsets[rank] = attachOrReserve(rank, name, configuration, blockBytes.applyAsLong(rank), reservation,
                        births, beginning, creations);
            }
        } catch (Throwable failure) {
            undoAll(creations);
            throw failure;
        }
        publish(creations);
    }

    private long attachOrReserve(int rank, String name, String configuration, long bytes, long reservation,
            long births, Replacement.Beginning beginning, List<Creation> creations) {
        long first = known.next(rank);
        NamedStructure learned = known.find(rank, name);
        if (learned != null) {
            return attach(learned, configuration);
        }
        for (long table = first;; table = nextOrCreate(rank, table, reservation)) {
            for (int probe = 0; probe < places(rank, table); probe++) {
                long entry = entry(rank, table, name, probe);
                while (DirectoryEntry.kind(awaitSettled(rank, entry)) == DirectoryEntry.FREE) {
                    Creation creation = creation(endpoint, heap, rank, entry, reservation);
                    // Noted before it is tried: if the fabric fails, it is unknown whether the entry is reserved.
                    creations.add(creation);
                    if (creation.reserveEntry()) {
                        reserveBlock(creation, bytes);
                        beginning.begin(endpoint, rank, creation.offset());
                        creation.describe(name, configuration, bytes, births);
                        return creation.offset();
                    }
                    creations.removeLast();
                }
                NamedStructure existing = known.entry(rank, entry);
                if (existing.name().equals(name)) {
                    return attach(existing, configuration);
                }
            }
        }
    }

    private long attach(NamedStructure existing, String configuration) {
        refuseIfDifferent(existing, configuration);
        return existing.offset();
    }

    Creation creation(Endpoint endpoint, Heap heap, int rank, long entry, long reservation) {
        return new Creation(endpoint, heap, rank, entry, reservation);
    }

    private void reserveBlock(Creation creation, long bytes) {
        try {
            creation.reserveBlock(bytes);
        } catch (SegmentFullException full) {
            // Unfinished creations of dead ranks may take the room.
            if (!repairAll(creation.rank)) {
                throw full;
            }
            creation.reserveBlock(bytes);
        }
    }

    /**
     * Publishes at all ranks that can be reached: if a structure is ready only at some ranks, the next process that
     * asks finishes it. The unreachable parts are undone only after that. Finding that a rank is not there may take
     * long. Meanwhile other processes wait for the entries that are not ready.
     */
    private void publish(List<Creation> creations) {
        List<Creation> lost = new ArrayList<>();
        FabricException failure = null;
        for (Creation creation : creations) {
            try {
                creation.publish();
            } catch (FabricException unreachable) {
                lost.add(creation);
                failure = failure == null ? unreachable : failure;
            }
        }
        undoAll(lost);
        if (failure != null) {
            throw failure;
        }
    }

    /** Undoes each of them, whatever happens to the others: nobody else undoes what a living rank has reserved. */
    private void undoAll(List<Creation> creations) {
        BackgroundThread.each(creations, creation -> {
            undo(creation);
            return true;
        });
    }

    private void undo(Creation creation) {
        reservations.undo(creation.rank, creation::undo);
    }

    /** Returns the entry's state, FREE or READY, once no process is in the middle of writing it. */
    private long awaitSettled(int rank, long entry) {
        while (true) {
            // (2) acquire: pairs with the write of READY in Creation (1).
            long state = endpoint.readWord(rank, entry + DirectoryEntry.STATE);
            if (DirectoryEntry.kind(state) != DirectoryEntry.RESERVED) {
                return state;
            }
            reservations.awaitSettled(rank, entry + DirectoryEntry.STATE, state, DirectoryEntry.rank(state),
                    DirectoryEntry.incarnation(state), () -> repair(rank, entry, state),
                    WaitReason.of("open a structure"));
        }
    }

    /**
     * Takes back what a dead rank has reserved in this segment for structures that it did not finish. Several processes
     * may do each step at once, and again.
     */
    void repair(int rank, long entry, long reservation) {
        takeBack(rank, DirectoryEntry.rank(reservation), DirectoryEntry.incarnation(reservation));
        endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, reservation, DirectoryEntry.FREE);
    }

    /**
     * Frees the blocks that a dead incarnation had reserved for entries that are not ready. Ready entries are complete,
     * whether their blocks are committed or not.
     *
     * @return how many bytes were freed
     */
    public final long takeBack(int rank, int dead, int deadIncarnation) {
        commitReady(rank);
        return heap.reclaimPending(rank, dead, deadIncarnation);
    }

    void commitReady(int rank) {
        known.look(List.of(rank));
        known.blocks(rank).forEach(block -> heap.commit(rank, block));
    }

    /** Repairs what any dead rank has reserved in this segment. Returns true if there was anything. */
    public final boolean repairAll(int rank) {
        boolean found = false;
        for (KnownEntries.Reserved entry : known.look(List.of(rank))) {
            if (liveness.isFenced(DirectoryEntry.rank(entry.state()), DirectoryEntry.incarnation(entry.state()),
                    rank)) {
                repair(rank, entry.offset(), entry.state());
                found = true;
            }
        }
        return found;
    }

    /** Returns for how many structures a table has entries. */
    private int places(int rank, long table) {
        return known.entries(rank, table) - 1;
    }

    private long entry(int rank, long table, String name, int probe) {
        long hash = NamedStructure.hash(name);
        return table + Math.floorMod(hash + probe, (long) places(rank, table)) * DirectoryEntry.SIZE;
    }

    /** Returns the bytes of a table, one of {@link #tables}. */
    final long tableBytes(int rank, long table) {
        return known.entries(rank, table) * DirectoryEntry.SIZE;
    }

    /**
     * Returns where the tables of a rank begin, as many as are ready. Cost: R for each, and another R for each but the
     * first.
     */
    final List<Long> tables(int rank) {
        SequencedSet<Long> tables = new LinkedHashSet<>(List.of(area));
        long link = known.link(rank, area);
        while (DirectoryEntry.kind(endpoint.readWord(rank, link + DirectoryEntry.STATE)) == DirectoryEntry.READY
                && tables.add(known.following(rank, tables.getLast()))) {
            link = known.link(rank, tables.getLast());
        }
        return List.copyOf(tables);
    }

    /**
     * Returns a number that changes when this rank's directory lists something new, and rarely does not. It covers the
     * first table. Cost: a load for each of the {@value #ENTRIES} entries. Allocates nothing.
     *
     * @param own this rank's memory
     */
    public final long changes(LocalMemory own) {
        long mixed = 0;
        for (int index = 0; index < entries; index++) {
            mixed = mixed * 31 + own.getAcquire(area + index * DirectoryEntry.SIZE + DirectoryEntry.STATE);
        }
        return mixed;
    }

    /**
     * Returns the structures that the directory of a rank lists, in no particular order. Leaves out the words that
     * ranks agree on. Cost: R for each of the {@value #ENTRIES} entries of the last table, in one round trip. R for
     * each structure that this process learns of, in another one.
     */
    public final List<NamedStructure> structures(int rank) {
        known.look(List.of(rank));
        return known.all(rank).stream().filter(structure -> !structure.kind().startsWith(AGREED + "=")).toList();
    }
}
