package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.NamedStructure;
import io.atoll.world.Peers.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The structures that the ranks' directories list, as they were seen last. Any thread may use it. */
final class Directories {

    /** How long the result of reading all directories is shown. It may be older, since structures are seldom made. */
    private static final Duration SHARES_KEPT = Duration.ofSeconds(5);

    private static final SortedMap<String, PlacedStructure> NONE_PLACED = Collections.emptySortedMap();

    private final ReadableRanks ranks;
    private final Inspection inspection;
    private final Map<Integer, CachedLook<Optional<SortedMap<String, PlacedStructure>>>> looks; // by rank
    private final CachedLook<Map<String, Shares>> shares = new CachedLook<>();

    Directories(ReadableRanks ranks, Inspection inspection) {
        this.ranks = ranks;
        this.inspection = inspection;
        this.looks = new ConcurrentHashMap<>();
    }

    /** Returns the structures by name. They are a map, since a caller may look up a thousand of them at each rank. */
    Optional<SortedMap<String, PlacedStructure>> of(int rank) {
        return CachedLook.at(looks, rank).look(WorldStates.KEPT, () -> inspection.structures(rank).map(all -> {
            SortedMap<String, PlacedStructure> placed = new TreeMap<>();
            all.forEach(each -> placed.put(each.name(), new PlacedStructure(each, inspection.extents(rank, each))));
            return Collections.unmodifiableSortedMap(placed);
        }));
    }

    /** Returns the last result of {@link #of}, if the rank can be read. */
    Optional<SortedMap<String, PlacedStructure>> last(Peer peer) {
        return ranks.last(looks, peer);
    }

    /** Looks at the directories of all ranks. Waits for all ranks that do not answer together. */
    List<Peer> lookAtAll() {
        List<Peer> peers = ranks.all();
        ranks.look(Kind.DIRECTORY, peers, this::of);
        return peers;
    }

    /** Returns the structure of that name in a rank's segment, if the rank can be read and has one. */
    Optional<NamedStructure> block(int rank, String name) {
        return ranks.isReadable(rank)
                ? of(rank).map(placed -> placed.get(name)).map(PlacedStructure::structure)
                : Optional.empty();
    }

    /** Returns the structures, sorted by name, as this rank's directory lists them. */
    Stream<PlacedStructure> placed() {
        return of(ranks.own()).stream().map(SortedMap::values).flatMap(Collection::stream);
    }

    /** Returns the parts of a structure in the segments of all ranks, as they were seen in the last five seconds. */
    Shares shares(String structure) {
        return shares.look(SHARES_KEPT, this::readShares).getOrDefault(structure, Shares.NONE);
    }

    private Map<String, Shares> readShares() {
        Map<String, List<StructureDetails.RankBytes>> parts = new HashMap<>();
        for (Peer peer : lookAtAll()) {
            for (PlacedStructure placed : last(peer).orElse(NONE_PLACED).values()) {
                parts.computeIfAbsent(placed.name(), _ -> new ArrayList<>())
                        .add(new StructureDetails.RankBytes(peer.rank(), placed.bytes()));
            }
        }
        Map<String, Shares> all = new HashMap<>();
        parts.forEach((name, each) -> all.put(name, new Shares(each)));
        return all;
    }
}
