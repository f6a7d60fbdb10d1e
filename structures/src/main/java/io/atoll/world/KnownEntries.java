package io.atoll.world;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.SegmentHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What this process has read of all ranks' tables. A ready entry never changes, so it is read once. The endpoint
 * reaches one segment of each rank for good, so nothing that is known becomes wrong when a rank loses its segment.
 * Any thread may use it.
 *
 * <p>A look reads from all ranks at once: first the states of a table's entries, then the ready entries that are new.
 * So a process that opens a structure learns of all others, and opens them without a verb.
 * <pre>
 *   | full | --> | full | --> | full | --> | next to be read | --> ...
 * </pre>
 */
final class KnownEntries {

    /** What is known of one rank. */
    private static final class OfRank {

        private final Map<Long, Integer> entries = new ConcurrentHashMap<>(); // of each known table, by its offset
        private final Map<Long, NamedStructure> byOffset = new ConcurrentHashMap<>();
        private final Map<Long, NamedStructure> links = new ConcurrentHashMap<>(); // by offset, as the entries
        private final Map<String, NamedStructure> byName = new ConcurrentHashMap<>();
        private volatile long next; // the first table that is not known to be full
        private volatile long born; // the incarnation in which the segment was made; 0 if it is not known

        private OfRank(long first, int entriesOfFirst) {
            next = first;
            entries.put(first, entriesOfFirst);
        }

        private synchronized void passed(long table, long following) {
            if (table == next) {
                next = following;
            }
        }
    }

    /**
     * An entry that a process was in the middle of writing.
     *
     * @param offset in the rank's segment
     */
    record Reserved(int rank, long offset, long state) {}

    /** @param isAgain true if its states were read a moment ago */
    private record Table(int rank, long offset, boolean isAgain) {}

    /** @param isLink true if the entry names the next table, and no structure */
    private record Entry(int rank, long offset, boolean isLink) {}

    /** Takes what was read of an entry. */
    private interface Arrival {
        void take(Entry entry, MemorySegment buffer, long position);
    }

    private final Endpoint endpoint;
    private final OfRank[] ranks;

    /**
     * @param area where each rank's first table lies
     * @param entries of each rank's first table
     */
    KnownEntries(Endpoint endpoint, long area, int entries) {
        this.endpoint = endpoint;
        this.ranks = IntStream.range(0, endpoint.size())
                .mapToObj(_ -> new OfRank(area, entries))
                .toArray(OfRank[]::new);
    }

    /**
     * Returns the first table of a rank that is not known to be full. The caller calls this before {@link #find}. A
     * name that {@code find} does not find is in this table, or in one after it.
     */
    long next(int rank) {
        return ranks[rank].next;
    }

    /** Returns the structure of that name, or null if the rank is not known to have it. */
    @Nullable NamedStructure find(int rank, String name) {
        return ranks[rank].byName.get(name);
    }

    /** Returns all structures that the rank is known to have, in no particular order. */
    Collection<NamedStructure> all(int rank) {
        return ranks[rank].byOffset.values();
    }

    /** Returns how many entries a table has: the first one of a rank, or one that was found to follow. */
    int entries(int rank, long table) {
        return Objects.requireNonNull(ranks[rank].entries.get(table));
    }

    /** Returns the table that follows, once the entry is ready that names it. Cost: R, once in a process. */
    long following(int rank, long table) {
        long link = link(rank, table);
        Map<Long, NamedStructure> links = ranks[rank].links;
        if (!links.containsKey(link)) {
            read(List.of(new Entry(rank, link, true)), DirectoryEntry.SIZE, this::note);
        }
        return Objects.requireNonNull(links.get(link)).offset();
    }

    /** Notes that all entries of a table are ready and known, and which table follows. */
    void passed(int rank, long table, long following) {
        ranks[rank].passed(table, following);
    }

    /** Returns the ready entry of a structure. Cost: R, once in a process. */
    NamedStructure entry(int rank, long offset) {
        NamedStructure known = ranks[rank].byOffset.get(offset);
        if (known != null) {
            return known;
        }
        read(List.of(new Entry(rank, offset, false)), DirectoryEntry.SIZE, this::note);
        return Objects.requireNonNull(ranks[rank].byOffset.get(offset));
    }

    /** Returns the incarnation in which the rank's segment was made. Cost: R if the rank has not been looked at. */
    long born(int rank) {
        OfRank of = ranks[rank];
        if (of.born == 0) {
            of.born = endpoint.readWord(rank, SegmentHeader.bornWord());
        }
        return of.born;
    }

    /** Returns where the blocks lie that the rank is known to have for ready entries, and for further tables. */
    Stream<Long> blocks(int rank) {
        return Stream.of(ranks[rank].byOffset, ranks[rank].links)
                .flatMap(entriesByOffset -> entriesByOffset.values().stream())
                .map(NamedStructure::offset)
                .filter(offset -> offset != 0);
    }

    /**
     * Reads all that is new in the tables of these ranks. Waits for no entry. Cost: 2 round trips for all ranks
     * together, or 1 if nothing is new. R for the state of each entry of a table, and R for each new entry. 2 round
     * trips more for a table that is found to be full, and 1 for each {@value Batch#THREAD_BUFFER_BYTES} bytes.
     *
     * @return the entries that were being written. A structure that is neither known afterwards nor one of these was
     * not there
     */
    List<Reserved> look(List<Integer> which) {
        List<Reserved> reserved = new ArrayList<>();
        List<Table> tables = which.stream().map(rank -> new Table(rank, next(rank), false)).toList();
        Set<Table> seen = new HashSet<>();
        while (!tables.isEmpty()) {
            // No table follows itself. Were a table freed by mistake, a look must not go round for ever.
            tables = look(tables.stream().filter(seen::add).toList(), reserved);
        }
        return reserved;
    }

    /** Returns the tables that are to be looked at next. */
    private List<Table> look(List<Table> tables, List<Reserved> reserved) {
        List<Entry> found = new ArrayList<>();
        Stream<Entry> births = tables.stream()
                .filter(table -> ranks[table.rank].born == 0)
                .map(table -> new Entry(table.rank, SegmentHeader.bornWord(), false));
        Stream<Entry> states = tables.stream().flatMap(this::entriesOf);
        read(Stream.concat(births, states).toList(), Long.BYTES, (entry, buffer, position) -> {
            // (2) pairs with the write of READY in Creation (1): the entry itself is read by a later batch.
            long state = buffer.get(ValueLayout.JAVA_LONG, position);
            if (entry.offset == SegmentHeader.bornWord()) {
                ranks[entry.rank].born = state;
            } else if (DirectoryEntry.kind(state) == DirectoryEntry.RESERVED) {
                reserved.add(new Reserved(entry.rank, entry.offset, state));
            } else if (DirectoryEntry.kind(state) == DirectoryEntry.READY && !isKnown(entry)) {
                found.add(entry);
            }
        });
        read(found, DirectoryEntry.SIZE, this::note);
        return tables.stream().flatMap(table -> following(table).stream()).toList();
    }

    /** Returns the table that follows one that is full; empty if the table has room. */
    private Optional<Table> following(Table table) {
        NamedStructure link = ranks[table.rank].links.get(link(table.rank, table.offset));
        if (link == null) {
            return Optional.empty();
        }
        if (entriesOf(table).allMatch(this::isKnown)) {
            passed(table.rank, table.offset, link.offset());
            return Optional.of(new Table(table.rank, link.offset(), false));
        }
        // It became full while its states were read. Now all of them are ready.
        return table.isAgain ? Optional.empty() : Optional.of(new Table(table.rank, table.offset, true));
    }

    private Stream<Entry> entriesOf(Table table) {
        int entries = entries(table.rank, table.offset);
        return IntStream.range(0, entries)
                .mapToObj(index -> new Entry(table.rank, table.offset + index * DirectoryEntry.SIZE,
                        index == entries - 1));
    }

    /** Returns the offset of a table's last entry, which names the next table. */
    long link(int rank, long table) {
        return table + (entries(rank, table) - 1) * DirectoryEntry.SIZE;
    }

    private boolean isKnown(Entry entry) {
        return (entry.isLink ? ranks[entry.rank].links : ranks[entry.rank].byOffset).containsKey(entry.offset);
    }

    private void note(Entry entry, MemorySegment buffer, long position) {
        NamedStructure structure = DirectoryEntry.decode(buffer.asSlice(position, DirectoryEntry.SIZE));
        OfRank of = ranks[entry.rank];
        if (entry.isLink) {
            of.entries.put(structure.offset(), (int) (structure.bytes() / DirectoryEntry.SIZE));
            // After the length: a thread that knows which table follows knows how long that is.
            of.links.put(entry.offset, structure);
        } else {
            of.byName.put(structure.name(), structure);
            // After the name: a thread that finds all of a table known may say that the table is passed.
            of.byOffset.put(entry.offset, structure);
        }
    }

    // --- reading ---

    /** Reads that many bytes of each entry. The entries of all ranks share round trips. */
    private void read(List<Entry> wanted, long bytes, Arrival arrival) {
        boolean isOwnMapped = endpoint.mapped(endpoint.rank()) != null;
        Map<Boolean, List<Entry>> byWay = wanted.stream()
                .collect(Collectors.partitioningBy(entry -> isOwnMapped && entry.rank == endpoint.rank()));
        read(byWay.get(true), bytes, () -> endpoint.batch(endpoint.rank()), arrival);
        read(byWay.get(false), bytes, endpoint::batch, arrival);
    }

    private static void read(List<Entry> wanted, long bytes, Supplier<Batch> batches, Arrival arrival) {
        int atOnce = (int) (Batch.THREAD_BUFFER_BYTES / bytes);
        for (int from = 0; from < wanted.size(); from += atOnce) {
            List<Entry> some = wanted.subList(from, Math.min(from + atOnce, wanted.size()));
            Batch batch = batches.get();
            for (int index = 0; index < some.size(); index++) {
                batch.read(some.get(index).rank, some.get(index).offset, index * bytes, bytes);
            }
            batch.complete();
            for (int index = 0; index < some.size(); index++) {
                arrival.take(some.get(index), batch.buffer(some.size() * bytes), index * bytes);
            }
            batch.close();
        }
    }
}
