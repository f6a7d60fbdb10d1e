package io.atoll.spring.state.overview;

import io.atoll.background.BackgroundThread;
import io.atoll.epoch.EpochBlock;
import io.atoll.spring.state.Deadlock;
import io.atoll.spring.state.EpochState.PinnedToken;
import io.atoll.spring.state.EpochSummary.RankSummary;
import io.atoll.spring.state.LockGraph;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.LockTableState.HeldLock;
import io.atoll.spring.state.LockTableState.LockUser;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StillRank;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.overview.Problem.Kind;
import io.atoll.spring.state.overview.Problem.LockPlace;
import io.atoll.world.Peers.PeerStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the problems of a world in the results of looks at it. Reads nothing itself. */
public final class ProblemFinder {

    /** A wait of a thread up to this long is no problem. */
    static final long LONG_WAIT_MILLIS = 1_000;

    /** From this wait on, operations fail at once, or a lock stands still. */
    static final long VERY_LONG_WAIT_MILLIS = 10_000;

    /** From this percentage on, a segment, a queue or a map is nearly full. */
    static final int NEARLY_FULL_PERCENT = 80;

    static final int FULL_PERCENT = 95;

    /** From this number of waiters on, a lock is hot. */
    static final int HOT_WAITERS = 8;

    private static final List<String> SIZES = List.of("B", "KiB", "MiB", "GiB", "TiB");

    private static final Comparator<Problem> WORST_FIRST = Comparator.comparing(Problem::severity)
            .thenComparing(Problem::kind)
            .thenComparing(Problem::sinceMillis, Comparator.nullsLast(Comparator.reverseOrder()))
            .thenComparing(Problem::rank, Comparator.nullsFirst(Comparator.naturalOrder()));

    private final Observations seen;
    private final List<Problem> found = new ArrayList<>();
    private final Set<LockPlace> deadlocked = new HashSet<>();

    private ProblemFinder(Observations seen) {
        this.seen = seen;
    }

    /**
     * Returns the problems, the most severe first. Equally severe problems are in the order of their {@link Kind}, and
     * those of one kind by age, the oldest first.
     */
    public static List<Problem> in(Observations seen) {
        ProblemFinder finder = new ProblemFinder(seen);
        finder.findInWorld();
        seen.ranks().forEach(finder::findAtRank);
        seen.stillRanks().forEach(finder::findStillRank);
        finder.findInEpochs();
        finder.findDeadlocks();
        seen.lockTables().forEach(finder::findInLocks);
        seen.structures().forEach(finder::findInStructure);
        finder.findInPrograms();
        finder.findInProcess();
        return finder.found.stream().sorted(WORST_FIRST).toList();
    }

    /** Returns the state of the world, in one sentence. */
    public static String sentence(WorldState world, List<Problem> problems) {
        String ranks = world.joined() + " of " + world.size() + (world.size() == 1 ? " rank has" : " ranks have")
                + " joined";
        long critical = problems.stream().filter(problem -> problem.severity() == Severity.CRITICAL).count();
        long warnings = problems.size() - critical;
        if (problems.isEmpty()) {
            return "All is well: " + ranks + ".";
        }
        String first = problems.getFirst().title();
        String count = (critical > 0 ? critical + " critical" : "") + (critical > 0 && warnings > 0 ? " and " : "")
                + (warnings > 0 ? warnings + (warnings == 1 ? " warning" : " warnings") : "");
        return ranks + "; " + count + ": " + first + ".";
    }

    private void add(Problem problem) {
        found.add(problem);
    }

    // --- the world ---

    private void findInWorld() {
        WorldState world = seen.world();
        if (world.refusal() != null && world.rejoining() == null) {
            add(Problem.of(Severity.CRITICAL, Kind.RANK_REFUSED, "This rank must not take part any more",
                    world.refusal(), "Start this process again, or set atoll.world.rejoin=true")
                    .at(world.rank()));
        }
        if (world.rejoining() != null) {
            WorldState.Rejoin rejoin = world.rejoining();
            add(Problem.of(Severity.CRITICAL, Kind.RANK_REFUSED, "This rank joins the world again",
                    rejoin.removal() + "; it waits for: " + rejoin.waitsFor(),
                    "Wait, or see to what it waits for")
                    .at(world.rank())
                    .since(rejoin.sinceMillis()));
        }
        if (seen.view().waiting() != null) {
            add(Problem.of(Severity.CRITICAL, Kind.VIEW, "It cannot be decided who is in the world",
                    seen.view().waiting(),
                    "Make the electors reachable that do not answer, or start them again: "
                            + seen.view().suspected()));
        }
        for (WorldState.Wait wait : world.waits()) {
            if (wait.waitedMillis() >= LONG_WAIT_MILLIS) {
                add(Problem.of(severityOfWait(wait.waitedMillis()), Kind.WAIT,
                        "Thread " + wait.thread() + " waits for rank " + wait.rank(),
                        "It waits in " + wait.doing() + " for " + seconds(wait.waitedMillis()),
                        "See what rank " + wait.rank() + " does: its log and threads, or start it if it is gone")
                        .at(wait.rank())
                        .since(wait.waitedMillis()));
            }
        }
    }

    private static Severity severityOfWait(long millis) {
        return millis >= VERY_LONG_WAIT_MILLIS ? Severity.CRITICAL : Severity.WARNING;
    }

    // --- ranks ---

    private void findAtRank(RankState rank) {
        String who = "Rank " + rank.rank();
        if (rank.standing() == PeerStatus.LOST) {
            Problem lost = Problem.of(Severity.CRITICAL, Kind.RANK_LOST, who + " is lost",
                    "It had joined" + where(rank) + ", and has left or died" + because(rank.refusal()),
                    "Start it again; what lies in its segment cannot be reached until then").at(rank.rank());
            add(rank.lostMillis() == null ? lost : lost.since(rank.lostMillis()));
        } else if (rank.refusal() != null) {
            add(Problem.of(Severity.CRITICAL, Kind.RANK_REFUSED, who + " cannot be used", rank.refusal(),
                    rank.standing() == PeerStatus.JOINED
                            ? "Look at its host and network; start it again if its process stands still"
                            : "Correct what the cause names, and start it again")
                    .at(rank.rank()));
        } else if (rank.standing() == PeerStatus.MISSING) {
            add(Problem.of(Severity.WARNING, Kind.RANK_MISSING, who + " has not joined yet",
                    "No process has taken part as this rank since this one has",
                    "Start it with the same atoll.world.name and size; structures can be used when all have joined")
                    .at(rank.rank()));
        }
        SegmentState.Usage usage = rank.usage();
        if (usage != null && rank.lastSeenMillis() == null && usage.totalBytes() > 0) {
            findFullSegment(rank, usage);
        }
    }

    private void findStillRank(StillRank still) {
        add(Problem.of(severityOfWait(still.millis()), Kind.RANK_STILL, "Rank " + still.rank() + " stands still",
                "Its process" + (still.pid() == null ? "" : " " + still.pid() + " on " + still.host())
                        + " lives, but has written no history for " + seconds(still.millis()),
                "Look at its process and host: it may be stopped (continue it by kill -CONT), swap, or get no CPU;"
                        + " end it and start it again if nothing helps")
                .at(still.rank())
                .since(still.millis()));
    }

    private static String where(RankState rank) {
        return rank.host() == null ? "" : " from " + rank.host();
    }

    private static String because(@Nullable String reason) {
        return reason == null ? "" : ": " + reason;
    }

    private void findFullSegment(RankState rank, SegmentState.Usage usage) {
        long percent = usage.usedBytes() * 100 / usage.totalBytes();
        if (percent >= NEARLY_FULL_PERCENT) {
            boolean isRetired = usage.retiredBytes() * 2 > usage.usedBytes();
            add(Problem.of(percent >= FULL_PERCENT ? Severity.CRITICAL : Severity.WARNING, Kind.SEGMENT_FULL,
                    "The segment of rank " + rank.rank() + " is full to " + percent + " %",
                    isRetired
                            ? "Most of it is retired and cannot be freed yet: " + bytes(usage.retiredBytes())
                            : bytes(usage.usedBytes()) + " of " + bytes(usage.totalBytes()) + " are in use",
                    isRetired
                            ? "End what keeps the epoch from advancing; see its view"
                            : "Give each rank more by atoll.segment.size, or use more ranks")
                    .at(rank.rank()));
        }
    }

    // --- epochs ---

    private void findInEpochs() {
        for (PinnedToken pin : seen.epochs().pinned()) {
            if (pin.ageMillis() > seen.pinLimitMillis()) {
                boolean isKept = EpochBlock.isBrokenConnection(pin.thread());
                add(Problem.of(pin.blocks() ? Severity.CRITICAL : Severity.WARNING, Kind.PIN,
                        isKept
                                ? "Rank " + pin.rank() + " keeps memory from being freed: " + unbracketed(pin.thread())
                                : "Thread " + pin.thread() + " of rank " + pin.rank()
                                        + " keeps memory from being freed",
                        "Its token is pinned in epoch " + pin.epoch() + " for " + seconds(pin.ageMillis())
                                + (pin.blocks() ? ", and the epoch of the world waits for it" : ""),
                        isKept
                                ? "Let the two ranks reach each other again, or start one of them anew: what was sent "
                                        + "before the connection broke may still arrive"
                                : "Let the thread unpin its token: it stands in an operation that is too long, or has "
                                        + "forgotten to close its pin")
                        .at(pin.rank())
                        .since(pin.ageMillis()));
            }
        }
        for (RankSummary rank : seen.epochs().ranks()) {
            if (!rank.present() && rank.limboObjects() > 0) {
                add(Problem.of(Severity.WARNING, Kind.STRANDED,
                        "Rank " + rank.rank() + " has left " + rank.limboObjects() + " objects that nobody frees",
                        "It had retired them, and is gone: " + bytes(rank.limboBytes()),
                        "Start rank " + rank.rank() + " again: its next incarnation frees them")
                        .at(rank.rank()));
            }
        }
    }

    private static String unbracketed(String words) {
        return words.substring(1, words.length() - 1);
    }

    // --- locks ---

    /** A cycle that has just closed may be no deadlock, or may end by itself. */
    private void findDeadlocks() {
        for (Deadlock deadlock : seen.deadlocks()) {
            if (deadlock.sinceMillis() < LONG_WAIT_MILLIS) {
                continue;
            }
            LockGraph.Edge first = deadlock.waits().getFirst();
            deadlock.waits().stream().map(ProblemFinder::place).forEach(deadlocked::add);
            add(Problem.of(Severity.CRITICAL, Kind.DEADLOCK,
                    deadlock.waits().stream().map(ProblemFinder::from).distinct().count()
                            + " threads wait for each other",
                    deadlock.waits().stream().map(ProblemFinder::wait).distinct().collect(Collectors.joining("; "))
                            + (deadlock.others() == 0 ? "" : "; " + deadlock.others() + " more wait behind them"),
                    "Force one of these locks open, and have all threads take locks in the same order")
                    .in(first.table())
                    .of(place(first))
                    .since(deadlock.sinceMillis()));
        }
    }

    private static LockPlace place(LockGraph.Edge wait) {
        return new LockPlace(wait.table(), wait.index());
    }

    private static String from(LockGraph.Edge wait) {
        return "thread " + wait.fromThread() + " of rank " + wait.fromRank();
    }

    private static String wait(LockGraph.Edge wait) {
        return from(wait) + " wants lock " + wait.index() + " of " + wait.table() + ", which thread "
                + wait.toThread() + " of rank " + wait.toRank() + " holds";
    }

    private void findInLocks(LockTableState table) {
        for (HeldLock lock : table.busy()) {
            LockPlace place = new LockPlace(table.name(), lock.index());
            if (deadlocked.contains(place)) {
                continue;
            }
            String name = "Lock " + lock.index() + " of " + table.name();
            long longest = lock.waiting()
                    .stream()
                    .map(LockUser::waitedMillis)
                    .mapToLong(millis -> millis == null ? 0 : millis)
                    .max()
                    .orElse(0);
            LockUser holder = lock.holders().isEmpty() ? null : lock.holders().getFirst();
            if (longest >= LONG_WAIT_MILLIS) {
                Problem problem = Problem.of(severityOfWait(longest), Kind.WAIT,
                        lock.waiting().size() + (lock.waiting().size() == 1 ? " waits for " : " wait for ")
                                + lowerCaseFirst(name),
                        held(holder) + "; the longest waits for " + seconds(longest),
                        "See what the holder does; as a last resort, force the lock open")
                        .in(table.name())
                        .of(place)
                        .since(longest);
                add(holder == null ? problem : problem.at(holder.rank()));
            } else if (lock.waiting().size() >= HOT_WAITERS) {
                add(Problem.of(Severity.WARNING, Kind.HOT_LOCK, name + " is hot: " + lock.waiting().size()
                        + " wait for it", held(holder),
                        "Hold it shorter, or split what it guards: more keys, or more locks in the table")
                        .in(table.name())
                        .of(place));
            }
        }
    }

    private static String held(@Nullable LockUser holder) {
        if (holder == null) {
            return "Nobody is seen to hold it";
        }
        String since = holder.heldMillis() == null ? "" : " for " + seconds(holder.heldMillis());
        return "Thread " + holder.thread() + " of rank " + holder.rank() + " holds it" + since
                + (holder.key() == null ? "" : " as " + holder.key());
    }

    private static String lowerCaseFirst(String name) {
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    // --- structures ---

    /**
     * Checks how full the ring of a queue is. If a map cannot grow, checks how full its buckets are. Filters are left
     * out: a full filter only errs more often.
     */
    private void findInStructure(StructureState structure) {
        boolean isQueue = structure.kind().equals("queue") || structure.kind().equals("fast-queue");
        Double full = structure.figures().get(isQueue ? "fill" : "load");
        boolean isFixed = structure.configuration().contains(" capacity="); // a map with first-capacity instead grows
        if (full == null || !isQueue && !isFixed || full * 100 < NEARLY_FULL_PERCENT) {
            return;
        }
        long percent = Math.round(full * 100);
        add(Problem.of(percent >= FULL_PERCENT ? Severity.CRITICAL : Severity.WARNING, Kind.STRUCTURE_FULL,
                structure.name() + " is full to " + percent + " %",
                isQueue ? "Values are pushed faster than they are popped" : "It was opened with a fixed capacity",
                isQueue
                        ? "Pop faster, or resize it; pushes fail or wait when it is full"
                        : "Remove entries, or open it with a larger capacity; puts fail when it is full")
                .in(structure.name()));
    }

    // --- programs, and this process ---

    private void findInPrograms() {
        for (Observations.BrokenPromise broken : seen.brokenPromises()) {
            add(Problem.of(Severity.CRITICAL, Kind.PROMISE, "A promise about " + broken.structure() + " was broken",
                    "These may not come between the same two barriers: " + broken.lines() + " of rank "
                            + broken.other(),
                    "Correct the program: put a barrier between the two, or promise less")
                    .in(broken.structure())
                    .at(broken.rank())
                    .since(broken.ageMillis()));
        }
    }

    private void findInProcess() {
        for (BackgroundThread.Trouble trouble : seen.troubles()) {
            add(Problem.of(Severity.CRITICAL, Kind.TROUBLE, "Thread " + trouble.thread() + " cannot do its work",
                    trouble.problem(), "See the log of this rank")
                    .at(seen.world().rank())
                    .since(trouble.since().toMillis()));
        }
    }

    /** Returns a size as the page writes it. */
    static String bytes(long count) {
        double number = count;
        int unit = 0;
        while (number >= 1_024 && unit < SIZES.size() - 1) {
            number /= 1_024;
            unit++;
        }
        return String.format(Locale.ROOT, number < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", number, SIZES.get(unit));
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
}
