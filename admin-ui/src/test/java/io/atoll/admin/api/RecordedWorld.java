package io.atoll.admin.api;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.history.Series;
import io.atoll.map.MapPlace;
import io.atoll.spring.state.CollectivesState;
import io.atoll.spring.state.ConnectionsState;
import io.atoll.spring.state.ConnectionsState.ReachedRank;
import io.atoll.spring.state.Deadlock;
import io.atoll.spring.state.EpochState;
import io.atoll.spring.state.EpochState.PinnedToken;
import io.atoll.spring.state.EpochSummary;
import io.atoll.spring.state.FabricState;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.LockGraph;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.LockTableState.HeldLock;
import io.atoll.spring.state.LockTableState.LockUser;
import io.atoll.spring.state.PeerState;
import io.atoll.spring.state.RankEvent;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StillRank;
import io.atoll.spring.state.StructureDetails;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.TrafficState;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.overview.Observations;
import io.atoll.spring.state.overview.Overview;
import io.atoll.spring.state.overview.Problem;
import io.atoll.spring.state.overview.ProblemFinder;
import io.atoll.spring.state.overview.Severity;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A large world in trouble, the same in each run. It has 300 ranks, of which 5 are lost, 3 missing and 1 refused, and
 * 1,000 structures. Its answers stand in files, which the tests of the page use.
 */
final class RecordedWorld {

    static final int RANKS = 300;
    static final int STRUCTURES = 1_000;
    static final List<Integer> LOST = List.of(17, 55, 101, 202, 299);
    static final List<Integer> MISSING = List.of(42, 142, 242);
    static final int REFUSED = 77;

    /** The rank one of whose threads has pinned a token for a minute. So its segment and those after it fill up. */
    static final int BLOCKING = 9;

    /** A rank whose process was stopped. */
    static final int STILL = 120;

    /** The rank to which most verbs go. */
    static final int HOT = 31;

    /** A table of locks, whose name has characters that no path may have. */
    static final String STRANGE_NAME = "a/b%2F;c\\d \u00e9";

    /** A token of the 65th incarnation. JavaScript would round it, since it is odd and larger than 2^53. */
    static final long LARGE_TOKEN = 64L << 47 | 812_345;

    private static final int STRANGE = 15;
    private static final int NEARLY_FULL = 64;
    private static final long SEGMENT = 64L << 20;
    private static final long HEAP = SEGMENT - (1L << 20);
    private static final long STARTED_MILLIS_AGO = 86_400_000;
    private static final long NOW_MILLIS = 1_795_000_000_000L;
    private static final String[] KINDS = {"long-map", "map", "map", "queue", "bloom-filter", "lock-table",
        "linked-stack", "linked-queue", "fast-queue", "array"};

    private RecordedWorld() {}

    /** Returns a number from 0 to below the bound, the same for the same seed. */
    private static int some(long seed, int bound) {
        long mixed = (seed + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return (int) ((mixed ^ mixed >>> 32) >>> 33) % bound;
    }

    static PeerStatus standing(int rank) {
        if (LOST.contains(rank)) {
            return PeerStatus.LOST;
        }
        return MISSING.contains(rank) ? PeerStatus.MISSING : PeerStatus.JOINED;
    }

    private static boolean isRead(int rank) {
        return standing(rank) == PeerStatus.JOINED && rank != REFUSED;
    }

    static WorldState world() {
        return new WorldState("shop", RANKS, 0, 3, false, RANKS - LOST.size() - MISSING.size(), MISSING, LOST, 296, 5,
                12, List.of(new WorldState.Wait("checkout-7", "get of map orders", 55, 14_500),
                        new WorldState.Wait("nightly-report", "barrier", 42, 3_200)),
                null, null, 0);
    }

    static ViewState view() {
        return new ViewState(true, 31,
                IntStream.range(0, RANKS)
                        .filter(rank -> standing(rank) == PeerStatus.JOINED)
                        .mapToObj(rank -> new ViewState.Member(rank, 1 + some(rank, 3)))
                        .toList(),
                List.of(0, 1, 2, 3, 4), 3, List.of(REFUSED), Map.of(REFUSED, List.of(0, 2)), null);
    }

    static FabricState fabric() {
        return new FabricState("tcp", AtomicDomain.COHERENT_WITH_CPU, 64, true, true);
    }

    private static @Nullable String refusal(int rank) {
        return rank == REFUSED
                ? "it does not answer, and nobody has proved that it has ended: nothing of it is repaired, and no "
                        + "memory is"
                        + " freed by epochs, until it answers, is started again, or is declared dead"
                : null;
    }

    private static SegmentState.Usage usage(int rank) {
        long slab = 4096;
        long percent = rank == NEARLY_FULL ? 97 : rank == BLOCKING ? 88 : 20 + some(rank, 55);
        long used = HEAP * percent / 100 / slab * slab;
        long owned = rank == BLOCKING ? used / 8 : used * 6 / 10;
        long pending = rank % 50 == 0 ? 256L << 10 : 0;
        long objectSlabs = used - owned - pending;
        long objects = objectSlabs / 80;
        return new SegmentState.Usage(HEAP, HEAP - used, pending, owned, objectSlabs, objects * 64, objects,
                rank == BLOCKING ? objects * 64 * 9 / 10 : objects * 64 / (4 + some(rank, 20)));
    }

    static List<RankState> ranks() {
        return IntStream.range(0, RANKS).mapToObj(rank -> {
            PeerStatus standing = standing(rank);
            boolean wasThere = standing != PeerStatus.MISSING;
            return new RankState(rank, standing, refusal(rank), wasThere ? 1 + some(rank, 3) : 0,
                    wasThere ? "node-%02d.cluster.example".formatted(rank / 8) : null,
                    wasThere ? 4_000L + rank * 13L : null, wasThere ? "0.1.0" : null,
                    isRead(rank) ? STARTED_MILLIS_AGO - some(rank, 80_000) * 1_000L : null,
                    isRead(rank) ? 220_000_000L + some(rank, 90_000) * 1_000L : null, SEGMENT,
                    wasThere ? usage(rank) : null, wasThere && !isRead(rank) ? 1_000L * (5 + some(rank, 900)) : null,
                    standing == PeerStatus.LOST ? 1_000L * (4 + some(rank, 900)) : null);
        })
                .sorted(Comparator.comparing(rank -> switch (rank.standing()) {
                    case LOST -> 0;
                    case MISSING -> 2;
                    case JOINED -> rank.refusal() == null ? 3 : 1;
                }))
                .toList();
    }

    static SegmentState segment(int rank) {
        List<SegmentState.Block> blocks = new ArrayList<>();
        if (isRead(rank)) {
            long offset = 1L << 20;
            for (int block = 0; block < 12; block++) {
                long bytes = usage(rank).ownedBytes() / 16 + some(rank * 31L + block, 200) * 4096L;
                blocks.add(new SegmentState.Block(name(block * 7), offset, bytes));
                offset += bytes + 4096L * some(block, 90);
            }
        }
        return new SegmentState(rank, standing(rank), standing(rank) == PeerStatus.MISSING ? 0 : 1 + some(rank, 3),
                refusal(rank), SEGMENT, isRead(rank) ? usage(rank) : null, blocks);
    }

    // --- structures ---

    private static String kind(int index) {
        return KINDS[index % KINDS.length];
    }

    private static String name(int index) {
        String[] subjects = {"hits", "orders", "customers", "jobs", "seen", "accounts", "undone", "mails", "keys",
            "cells"};
        if (index == STRANGE) {
            return STRANGE_NAME;
        }
        return index < 10 ? subjects[index] : "%s-%03d".formatted(subjects[index % 10], index / 10);
    }

    private static String configuration(int index) {
        return switch (kind(index)) {
            case "long-map" -> "long-map capacity=65536";
            case "map" -> "map keys=text values=object(com.example.Order) first-capacity=1024";
            case "queue" -> "queue type=long capacity=1000 host=" + index % RANKS;
            case "fast-queue" -> "fast-queue type=long capacity=4096 host=" + index % RANKS;
            case "bloom-filter" -> "bloom-filter elements=text expected-elements=100000 false-positive-rate=0.01";
            case "lock-table" -> "lock-table algorithm=QUEUE localBudget=5 remoteBudget=20 locks=1024";
            case "array" -> "array type=double length=100000";
            default -> kind(index) + " values=text host=" + index % RANKS;
        };
    }

    private static Map<String, Double> figures(int index) {
        Map<String, Double> figures = new LinkedHashMap<>();
        double full = index == 3 ? 0.97 : index == 0 ? 0.84 : some(index, 75) / 100.0;
        switch (kind(index)) {
            case "long-map", "map" -> {
                figures.put(index % 3 == 0 ? "entries about" : "entries", Math.floor(full * 65_536));
                figures.put("buckets", 98_304.0);
                figures.put("load", full);
                figures.put("reads per find", 1 + full / 3);
            }
            case "queue", "fast-queue" -> {
                figures.put("elements", Math.floor(full * 1_000));
                figures.put("fill", full);
                figures.put("pushed", 1_000_000.0 + index);
                figures.put("popped", 1_000_000.0 + index - Math.floor(full * 1_000));
            }
            case "bloom-filter" -> {
                figures.put("elements", Math.floor(full * 100_000));
                figures.put("fill", full / 2);
                figures.put("false positive rate", full / 100);
            }
            case "linked-stack", "linked-queue" -> figures.put("depth", (double) some(index, 800));
            default -> {
                // Tables of locks and arrays have no such figures.
            }
        }
        return figures;
    }

    private static long bytes(int index, int rank) {
        if (configuration(index).contains(" host=")) {
            return index % RANKS == rank ? 64L << 10 : 0;
        }
        return isRead(rank) ? 16_384L * (1 + some(index, 6)) + (index % 17 == 0 && rank == 3 ? 4L << 20 : 0) : 0;
    }

    private static List<StructureDetails.RankBytes> shares(int index) {
        return IntStream.range(0, RANKS)
                .filter(RecordedWorld::isRead)
                .mapToObj(rank -> new StructureDetails.RankBytes(rank, bytes(index, rank)))
                .toList();
    }

    static StructureState structure(int index) {
        List<StructureDetails.RankBytes> shares = shares(index);
        long total = shares.stream().mapToLong(StructureDetails.RankBytes::bytes).sum();
        long most = shares.stream().mapToLong(StructureDetails.RankBytes::bytes).max().orElse(0);
        boolean hasSkew = total > 0 && !configuration(index).contains(" host=");
        return new StructureState(name(index), kind(index), configuration(index), bytes(index, 0), total,
                hasSkew ? (double) most * shares.size() / total : null, operationsPerSecond(index),
                some(index, 40) == 0 ? 2 : 0, figures(index));
    }

    /** Most structures are hardly used. Some are used too little for a figure. */
    private static @Nullable Double operationsPerSecond(int index) {
        return index % 11 == 10 ? null : index % 3 == 0 ? 40.5 * some(index, 3_000) : 0.0;
    }

    static List<StructureState> structures() {
        return IntStream.range(0, STRUCTURES)
                .mapToObj(RecordedWorld::structure)
                .sorted(Comparator.comparing(StructureState::name))
                .toList();
    }

    static StructureDetails details(int index) {
        StructureState state = structure(index);
        Map<String, String> settings = new LinkedHashMap<>();
        for (String word : state.configuration().split(" ")) {
            if (word.contains("=")) {
                settings.put(word.split("=")[0].replace('-', ' '), word.split("=")[1]);
            }
        }
        return new StructureDetails(state.name(), state.kind(), state.configuration(), state.bytes(),
                state.totalBytes(), state.skew(), state.operationsPerSecond(), state.repairs(), state.figures(),
                settings,
                shares(index));
    }

    static Map<String, Integer> kinds() {
        return structures().stream()
                .collect(Collectors.groupingBy(StructureState::kind, TreeMap::new, Collectors.summingInt(_ -> 1)));
    }

    // --- epochs ---

    private static final PinnedToken BLOCKER = new PinnedToken(BLOCKING, "report-writer", 4_711, 61_300, true);

    static EpochSummary epochSummary() {
        List<EpochSummary.RankSummary> ranks = IntStream.range(0, RANKS)
                .filter(rank -> standing(rank) != PeerStatus.MISSING)
                .mapToObj(rank -> {
                    SegmentState.Usage usage = usage(rank);
                    long limbo = usage.retiredBytes() / 64;
                    return new EpochSummary.RankSummary(rank, isRead(rank), isRead(rank) ? 4_712 : 4_690,
                            rank == BLOCKING ? 2 : some(rank, 12) / 10, rank == BLOCKING, limbo, limbo * 64,
                            new EpochSummary.OwnedLimbo(limbo, usage.retiredBytes()), 900_000 + limbo, 900_000,
                            900_000L * 64, LOST.contains(rank) ? 3 : 0, some(rank, 90), some(rank, 30));
                })
                .toList();
        return new EpochSummary(
                List.of(new EpochState.LocalEpochs("sessionEpochs", 88, List.of(), List.of(), 100, 90, 0, 88, 1)), true,
                4_712, ranks, BLOCKER,
                List.of(BLOCKER, new PinnedToken(BLOCKING, "http-nio-8080-exec-3", 4_712, 220, false),
                        new PinnedToken(31, "http-nio-8080-exec-9", 4_712, 15, false)),
                List.of(new EpochSummary.Forecast(BLOCKING, 342_000L),
                        new EpochSummary.Forecast(NEARLY_FULL, 1_260_000L), new EpochSummary.Forecast(3, null)));
    }

    /** Returns the epochs of two ranks in full. For all ranks there would be a line for each pair. */
    static EpochState epochs() {
        return new EpochState(epochSummary().local(), true, 4_712,
                List.of(0, BLOCKING)
                        .stream()
                        .map(rank -> new EpochState.RankEpoch(rank, true, 4_712, 1,
                                rank == BLOCKING ? List.of(BLOCKER) : List.of(),
                                List.of(new EpochState.LimboList(4_711, 300, 19_200,
                                        List.of(new EpochState.OwnedObjects(0, 100, 6_400),
                                                new EpochState.OwnedObjects(BLOCKING, 200, 12_800)))),
                                900_300, 900_000, 57_600_000, 0, 12, 3))
                        .toList());
    }

    // --- locks ---

    private static LockUser user(int rank, String thread, int owner, @Nullable Long held, @Nullable Long waited,
            @Nullable Long token, @Nullable String key) {
        return new LockUser(rank, thread, NOW_MILLIS - (held == null ? waited : held), rank == owner, held, waited,
                token, key);
    }

    private static HeldLock lock(long index, int owner, LockUser holder, List<LockUser> waiting, long waitedMillis) {
        Function<Boolean, List<LockUser>> cohort = local -> waiting.stream()
                .filter(user -> user.local() == local)
                .toList();
        return new HeldLock(index, owner, List.of(holder), waiting, 120_000, 340_000, 200_100, 1_200, 90_000,
                waitedMillis, waitedMillis / 20, index == 973 ? 1 : 0, 7, holder.local() ? "remote" : "local",
                cohort.apply(true), cohort.apply(false));
    }

    static HeldLock hotLock() {
        int owner = 5;
        return lock(973, owner, user(12, "payment-3", owner, 2_340L, null, LARGE_TOKEN, "account-590"),
                List.of(user(5, "payment-0", owner, null, 2_210L, null, "account-590"),
                        user(5, "payment-1", owner, null, 2_100L, null, null),
                        user(7, "payment-4", owner, null, 1_900L, null, "account-590"),
                        user(12, "payment-6", owner, null, 900L, null, null),
                        user(201, "refund", owner, null, 40L, null, "account-1")),
                481_000);
    }

    private static HeldLock crossed(long index, String holder, int rank, String waiter, int waiterRank) {
        return lock(index, 8, user(rank, holder, 8, 31_000L, null, 77L, null),
                List.of(user(waiterRank, waiter, 8, null, 30_500L, null, null)), 90_000);
    }

    static LockTableState accounts() {
        HeldLock one = crossed(10, "transfer-1", 8, "transfer-2", 21);
        HeldLock other = crossed(20, "transfer-2", 21, "transfer-1", 8);
        return new LockTableState("accounts", 1_024, configuration(5), List.of(one, other, hotLock()),
                List.of(hotLock(), one, other));
    }

    private static LockTableState strangeTable() {
        return new LockTableState(STRANGE_NAME, 1_024, configuration(STRANGE), List.of(hotLock()), List.of());
    }

    static List<LockTableState> lockTables() {
        return structures().stream()
                .filter(structure -> structure.kind().equals("lock-table"))
                .map(structure -> switch (structure.name()) {
                    case "accounts" -> accounts();
                    case STRANGE_NAME -> strangeTable();
                    case String name -> new LockTableState(name, 1_024, structure.configuration(), List.of(),
                            List.of());
                })
                .toList();
    }

    static LockGraph lockGraph() {
        List<LockGraph.Edge> edges = accounts().busy()
                .stream()
                .flatMap(lock -> lock.waiting()
                        .stream()
                        .map(waiter -> new LockGraph.Edge(waiter.rank(), waiter.thread(),
                                lock.holders().getFirst().rank(), lock.holders().getFirst().thread(), "accounts",
                                lock.index())))
                .toList();
        return new LockGraph(edges,
                List.of(List.of(new LockGraph.Waiter(8, "transfer-1"), new LockGraph.Waiter(21, "transfer-2"))));
    }

    // --- the rest ---

    static CollectivesState collectives() {
        return new CollectivesState(
                List.of(new CollectivesState.RunningCollective("sums", "allReduce", RANKS, 4_096, "nightly-report",
                        3_200, List.of(new CollectivesState.LateRank(31, 3_190),
                                new CollectivesState.LateRank(REFUSED, 3_190)))),
                List.of(new CollectivesState.CollectiveKind("catalog", "broadcast", 340, 1, 90_000_000, 2_300_000,
                        19_000_000, durations(9, 12, 200, 110, 15, 3)),
                        new CollectivesState.CollectiveKind("sums", "allReduce", 12_000, 2, 49_000_000, 410_000,
                                88_000_000, durations(6, 40, 9_000, 2_500, 300, 120, 30, 9, 0, 0, 0, 0, 0, 1))));
    }

    private static List<CollectivesState.DurationRange> durations(int first, int... counts) {
        return IntStream.range(0, counts.length)
                .mapToObj(at -> new CollectivesState.DurationRange(1_024L << first + at, counts[at]))
                .toList();
    }

    static ConnectionsState connections() {
        return new ConnectionsState(reached(), Map.of("unproved", 3L, "other-world", 0L));
    }

    private static List<ReachedRank> reached() {
        return IntStream.range(0, RANKS)
                .mapToObj(rank -> new ReachedRank(rank,
                        standing(rank) != PeerStatus.JOINED
                                ? null
                                : rank == 0 ? "own-memory" : rank < 8 ? "shared-memory" : "tcp",
                        isRead(rank) && rank >= 8 ? 2 : 0, rank == REFUSED ? List.of("no answer for 2 s") : List.of(),
                        rank == REFUSED ? 4 : some(rank, 20) / 19,
                        isRead(rank) && rank >= 8 ? 40_000L + some(rank, 9_000) : null,
                        rank == REFUSED ? 64_000L : null))
                .toList();
    }

    static TrafficState traffic() {
        List<TrafficState.Verbs> verbs = new ArrayList<>();
        for (String locality : List.of("local", "remote")) {
            boolean isLocal = locality.equals("local");
            verbs.add(new TrafficState.Verbs(locality, "read", isLocal ? 9_000_000 : 410_000, 8_000,
                    isLocal ? 60L : 52_000L, isLocal ? 50L : 45_000L, isLocal ? 400L : 310_000L));
            verbs.add(new TrafficState.Verbs(locality, "write", isLocal ? 4_000_000 : 90_000, 4_000,
                    isLocal ? 55L : 50_000L, isLocal ? 45L : 44_000L, isLocal ? 300L : 290_000L));
            verbs.add(new TrafficState.Verbs(locality, "compare-and-exchange", isLocal ? 800_000 : 31_000, 800,
                    isLocal ? 90L : 53_000L, isLocal ? 80L : 46_000L, isLocal ? 700L : 330_000L));
            verbs.add(new TrafficState.Verbs(locality, "fetch-add", isLocal ? 70_000 : 0, 0, null, null, null));
        }
        return new TrafficState(true, verbs,
                List.of(new TrafficState.Batches("local", 900_000, 4_000_000, 512_000_000),
                        new TrafficState.Batches("remote", 120_000, 480_000, 61_000_000)),
                new TrafficState.Carried(531_000, 212_000, 91_000_000, 64_000_000, 2));
    }

    /**
     * Returns the ranks to which verbs have gone. Ranks of the own host are not among them, since their memory is
     * mapped.
     */
    static List<PeerState> peers() {
        return IntStream.range(8, RANKS)
                .filter(rank -> standing(rank) != PeerStatus.MISSING)
                .mapToObj(rank -> {
                    long reads = 200L + some(rank, 2_000);
                    long writes = some(rank + 7, 500);
                    long atomics = rank == HOT ? 150_000 : some(rank + 11, 90);
                    boolean isTimed = rank == REFUSED || rank % 7 != 0;
                    long nanos = rank == REFUSED ? 2_000_000_000L : 45_000L + some(rank, 9_000);
                    return new PeerState(rank, "node-%02d.cluster.example".formatted(rank / 8),
                            standing(rank) == PeerStatus.JOINED ? "tcp" : null, reads + writes + atomics, reads, writes,
                            atomics, reads * 64, writes * 128, isTimed ? 3 : 0, isTimed ? nanos * 11 / 10 : null,
                            isTimed ? nanos : null, isTimed ? nanos * 6 : null);
                })
                .sorted(Comparator.comparingLong(PeerState::verbs).reversed().thenComparing(PeerState::rank))
                .toList();
    }

    static List<RankEvent> events() {
        List<RankEvent> events = new ArrayList<>();
        events.add(new RankEvent(0, 412, 9_000, "lost", 55, "a rank has left or died: incarnation 2"));
        events.add(new RankEvent(0, 411, 12_500, "refused", REFUSED, "it does not answer"));
        events.add(new RankEvent(5, 201, 13_000, "lock-recovered", 17, "lock 973 of accounts"));
        events.add(new RankEvent(0, 410, 14_100, "repaired", 17, "a reservation of map orders"));
        events.add(new RankEvent(0, 409, 60_000, "stranded", 17, "312 objects wait for its next incarnation"));
        events.add(new RankEvent(0, 408, 61_000, "view", -1, "view 31 of 292 ranks"));
        events.add(new RankEvent(12, 78, 44_000, "promise-broken", 4,
                "hits: Load.java:31 and Report.java:12"));
        events.add(new RankEvent(12, 77, 62_000, "grown", 4, "orders: from 65536 to 131072 buckets"));
        events.add(new RankEvent(3, 90, 64_000, "moved", 7,
                "jobs: from 1000 elements at rank 3 to 4000 elements at rank 7"));
        for (int older = 0; older < 89; older++) {
            int rank = some(older, RANKS);
            events.add(new RankEvent(rank, 90 - older / 2, 70_000L + older * 6_000L, "joined", some(older + 7, RANKS),
                    "a rank has joined: incarnation " + (1 + some(older, 3))));
        }
        return events;
    }

    private record Course(String key, String unit, boolean isTotal, long level) {}

    private static final List<Course> SERIES = Arrays.stream(Series.values())
            .map(each -> new Course(each.key(), each.unit().key(), each.isTotal(), level(each)))
            .toList();

    private static long level(Series series) {
        return switch (series.unit()) {
            case BYTES -> series.key().startsWith("heap") || series.key().startsWith("res") ? 30L << 20 : 2L << 20;
            case MILLIS -> series.isTotal() ? 640 : 60;
            default -> series == Series.RANKS_JOINED ? 292 : 9_000;
        };
    }

    private static List<@Nullable Double> course(Course course, int rank, int points) {
        List<@Nullable Double> values = new ArrayList<>();
        boolean grows = rank == BLOCKING && (course.key.contains("limbo") || course.key.startsWith("retired-b"));
        for (int point = 0; point < points; point++) {
            boolean isUnknown = course.key.equals(HistoryState.OWNED_LIMBO_BYTES)
                    ? point < points * 3 / 5
                    : !isRead(rank) && point > points * 2 / 3 || rank == 3 && point < points / 4;
            double wave = Math.sin((point + rank) / 9.0) / 5 + some(point * 7L + rank, 100) / 500.0;
            double level = grows ? course.level * (1 + point * 8.0 / points) : course.level;
            values.add(isUnknown ? null : (double) Math.round(level * (1 + wave)));
        }
        return values;
    }

    private static HistoryState history(List<Course> series, IntStream ranks, int points) {
        return new HistoryState(600_000 / points, 1_764_241_200_000L, 800,
                series.stream()
                        .map(each -> new HistoryState.SeriesState(each.key, each.unit, each.isTotal,
                                each.key.equals(HistoryState.OWNED_LIMBO_BYTES) ? 245_000L : null))
                        .toList(),
                ranks.filter(rank -> standing(rank) != PeerStatus.MISSING)
                        .mapToObj(rank -> new HistoryState.RankSeries(rank,
                                isRead(rank)
                                        ? HistoryState.Origin.LIVE
                                        : rank == 17 ? HistoryState.Origin.FILE : HistoryState.Origin.SEEN,
                                isRead(rank) ? 800 : 200_000 + rank,
                                series.stream()
                                        .collect(Collectors.toMap(Course::key, each -> course(each, rank, points),
                                                (one, _) -> one, LinkedHashMap::new))))
                        .toList());
    }

    /** Returns a history in which this rank knows the segments of the limbo for the last minutes only. */
    static HistoryState historyOfLimbo() {
        return history(
                Stream.concat(
                        Stream.of(new Course(HistoryState.OWNED_LIMBO_BYTES, "bytes", false, 1L << 20)),
                        SERIES.stream().filter(each -> each.key.equals("limbo-bytes") || each.key.equals("epoch")))
                        .toList(),
                IntStream.range(0, RANKS), 30);
    }

    static HistoryState historyOfRank(int rank) {
        return history(SERIES, IntStream.of(rank), 120);
    }

    /** Returns the history that rank 0 has of a map. */
    static HistoryState figures() {
        return history(
                List.of(new Course("entries", "count", false, 180), new Course("load-percent", "percent", false, 70)),
                IntStream.of(0), 120);
    }

    private static List<@Nullable Double> sparkline(IntUnaryOperator value) {
        return IntStream.range(0, 60)
                .<@Nullable Double>mapToObj(at -> at < 5 ? null : (double) value.applyAsInt(at))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    static List<Problem> problems() {
        return ProblemFinder.in(new Observations(world(), view(), ranks(),
                List.of(new StillRank(STILL, "node-15.cluster.example", 5_560L, 20_000)), epochSummary(), 30_000,
                List.of(accounts()),
                List.of(new Deadlock(lockGraph().edges().subList(0, 2), 0, 30_500)), structures(),
                List.of(new BackgroundThread.Trouble("atoll-reclaim-0", "Java heap space", Duration.ofSeconds(31))),
                List.of(new Observations.BrokenPromise(12, 4, "hits",
                        "Load.java:31 and Report.java:12", 44_000))));
    }

    static Overview overview() {
        List<Problem> problems = problems();
        return new Overview(world(), ProblemFinder.sentence(world(), problems), Severity.CRITICAL, problems,
                new Overview.RankCounts(world().joined(), LOST.size(), MISSING.size()),
                Map.of("remote-verbs", sparkline(at -> 90_000 + some(at, 30_000)), "operations",
                        sparkline(at -> 210_000 + some(at + 60, 90_000)), "memory-percent",
                        sparkline(at -> 51 + at / 20), "limbo-bytes", sparkline(at -> (40 << 20) + at * 700_000)));
    }

    private static List<Entry> entries(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(key -> new Entry("order-" + key, true, "Order[customer=c" + key + "]"))
                .toList();
    }

    /** Returns the answers by the names of their files. */
    static Map<String, Object> answers() {
        Map<String, Object> answers = new LinkedHashMap<>();
        answers.put("overview", overview());
        answers.put("problems", new Listed<>(problems()));
        answers.put("world", world());
        answers.put("view", view());
        answers.put("fabric", fabric());
        answers.put("connections", connections());
        answers.put("collectives", collectives());
        answers.put("traffic", traffic());
        for (int page = 0; page < 3; page++) {
            answers.put("peers-" + page, Paged.of(peers(), page, 100, peer -> peer));
        }
        answers.put("session", new Session("ada", true, true, null));
        answers.put("session-closed", new Session(null, false, false, "actions are off: atoll.admin.actions=true"));
        for (int page = 0; page < 3; page++) {
            answers.put("ranks-" + page, Paged.of(ranks(), page, 100, rank -> rank));
        }
        answers.put("segments-0", Paged.of(IntStream.range(0, RANKS).boxed().toList(), 0, 20, RecordedWorld::segment));
        answers.put("segment-" + BLOCKING, segment(BLOCKING));
        for (int page = 0; page < STRUCTURES / 100; page++) {
            answers.put("structures-" + page,
                    FacetedPage.of(Paged.of(structures(), page, 100, structure -> structure), kinds()));
        }
        answers.put("structure-hits", details(0));
        answers.put("structure-jobs", details(3));
        answers.put("figures-hits", figures());
        answers.put("structure-strange", details(STRANGE));
        answers.put("entry-orders-strange", new Entry(STRANGE_NAME, true, "Order[customer=grace]"));
        answers.put("entry-orders-7", new Entry("7", true, "Order[customer=ada, totalCents=1200]"));
        answers.put("entry-orders-8", new Entry("8", false, null));
        answers.put("entries-orders", new SomeEntries(entries(0, 20), List.of(), new MapPlace(3, 1 << 19)));
        answers.put("entries-orders-2", new SomeEntries(entries(20, 23), List.of(17, 55), null));
        answers.put("epochs", epochs());
        answers.put("epochs-summary", epochSummary());
        answers.put("locks-0", Paged.of(lockTables(), 0, 100, table -> table));
        answers.put("lock-table-accounts", accounts());
        answers.put("lock-table-strange", strangeTable());
        answers.put("lock-accounts-973", hotLock());
        answers.put("lock-strange-973", hotLock());
        answers.put("locks-graph", lockGraph());
        answers.put("events", new Listed<>(events()));
        answers.put("history-limbo-bytes", historyOfLimbo());
        answers.put("history-rank-" + BLOCKING, historyOfRank(BLOCKING));
        return answers;
    }
}
