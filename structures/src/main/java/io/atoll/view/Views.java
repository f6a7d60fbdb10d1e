package io.atoll.view;

import static java.util.stream.Collectors.joining;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the views of a world for one rank. It founds the world with the other ranks, proposes which ranks come
 * and go, and installs what was decided. If the rank does not hear another one, it only suspects that one; a
 * {@linkplain Election decision} makes it so.
 * <pre>
 *   header of the rank        made anew:  ring 0, founded 0, installed 0
 *      | all others answer, and none has a view
 *      v                      founding:   ring spent up to view 1, founded 1, installed 0
 *      | all others are founding
 *      v                      member:     record of view 1, installed 1
 *
 *   header of a newcomer      made anew:  ring 0, founded 0, installed 0
 *      | another has a view
 *      v                      asks:       ring 0, founded 2, record of that view, installed
 *      | a view has added it
 *      v                      member:     ring spent up to that view, founded 1, its record, installed
 * </pre>
 * <ol>
 * <li>The ring is spent before {@code founded} is written: a rank that reads {@code founded} finds a ring that counts.
 * A ring of zeros, in a world that has a view, was lost, and has no vote.
 * <li>The record is written before {@code installed}: a rank that reads the number reads that record, or a later one.
 * <li>A rank whose segment was made anew in a world that has a view is a newcomer. Its ring is spent up to the view
 * that has added it, before it counts. If it ends in between, its next process does that.
 * </ol>
 * A founding rank looks at all others after its own memory was made. A rank that has promised something has installed a
 * view before. So a rank that lost what it had promised sees that view, and does not found.
 *
 * <p>If so many electors have lost their memory that the others are no quorum, no rank can be added. Then one of those
 * electors <b>founds the world anew</b>, as all ranks founded it at first: when all say that they know nothing above
 * one view.
 * <pre>
 *   any rank            resting  ...7777777700008888888888888888800009999...   0: (4) something is under way
 *                                    view 5                  view 5
 *   one without memory                  reads all heads   reads all heads
 *                                       5, 7  5, 4  5, 2     5, 7  5, 4  5, 2  the same: view 6 is view 5
 * </pre>
 * <ol start="4">
 * <li>A rank is not resting while it reads anything that it may act on, proposes or installs. The zero happens before
 * its first read. The number that it writes afterwards is another one.
 * <li>If two reads found the same, that was the state at one moment in between. At that moment no rank knew of a
 * decision after the view, or was about to learn of one. The memory that had accepted such a decision is lost. The
 * ranks that still have theirs are no quorum, and the others get votes only for what follows view 6. So no other view 6
 * is ever decided.
 * </ol>
 * All ranks of the world must answer: a silent one may know more. This holds as long as no rank has two processes. A
 * process that lives on behind a cut has the memory that its successor takes for lost.
 *
 * <p>A rank is removed when a quorum of electors suspects it, and none of the electors that answer hears it. The lowest
 * elector proposes; others wait 200 ms longer for each elector before them. Cost while nothing changes: 2 R of each
 * elector, twice a second. They tell what others have decided, and which ranks they do not hear. A decision takes three
 * more round trips, see {@link Election}.
 *
 * <p>Any thread may call any method.
 */
public final class Views implements AutoCloseable {

    /**
     * What a rank knows of the world's views, for observers.
     *
     * @param view by which the rank acts; null until the world is founded
     * @param suspected ranks that it does not hear
     * @param suspicions by suspected rank: which ranks do not hear it, among this rank and the electors that this rank
     * hears
     * @param missing electors that did not answer when the rank last wanted a decision, if too few answered. Empty
     * while it wants no decision, or can have it
     */
    public record Status(@Nullable View view, List<Integer> suspected, SortedMap<Integer, List<Integer>> suspicions,
            List<Integer> missing) {

        static final Status NONE = new Status(null, List.of(), new TreeMap<>(), List.of());

        public Status {
            suspected = List.copyOf(suspected);
            suspicions = Collections.unmodifiableSortedMap(new TreeMap<>(suspicions));
            missing = List.copyOf(missing);
        }

        /** Returns what a decision waits for, if it has to wait. */
        public Optional<String> waiting() {
            View present = view;
            if (present == null || missing.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of("no rank is declared dead or added: waits for " + quorum(present)
                    + ", of which these do not answer, or have lost their memory: "
                    + missing.stream().map(String::valueOf).collect(joining(", ")));
        }

        private static String quorum(View view) {
            List<Integer> electors = view.electors();
            String fewest = view.quorum() + " of the electors " + electors;
            return electors.size() % 2 == 1
                    ? fewest
                    : fewest + " with rank " + electors.getFirst() + " among them, or for " + (view.quorum() + 1);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Views.class);

    /** The message to a rank that was removed. */
    public static final String REMOVED = "the other ranks have declared this one dead while they did not hear it,"
            + " look at the network and at pauses of the process";

    // What the word "founded" says.
    private static final long VOTES = 1;
    private static final long ASKS = 2;

    /** In the word {@code resting}. Below it is a different number each time. */
    private static final int INCARNATION_SHIFT = Long.SIZE - Short.SIZE;

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration BUSY_INTERVAL = Duration.ofMillis(50);
    private static final Duration BUSY = Duration.ofSeconds(5);
    private static final Duration TURN = Duration.ofMillis(200);
    private static final Duration LEAVING = Duration.ofSeconds(1);

    /**
     * Other ranks meet a new life soon after it was added. Until then it means nothing that they did not hear the life
     * before.
     */
    private static final Duration NEWCOMER = Duration.ofSeconds(2);

    /**
     * What this rank hears of another one.
     *
     * @param incarnation the last that it has met, 0 for none
     */
    private record Hearing(int incarnation, boolean isSuspected) {

        private static final Hearing NOTHING = new Hearing(0, false);
    }

    /**
     * What the header of a rank says of views.
     *
     * @param installed the number of the view, 0 for none
     * @param born tells the rank's present memory from memory that it has lost
     * @param resting 0 while something is under way
     */
    private record Head(long founded, long installed, long born, long resting) {

        private static final int WORDS = Math.toIntExact(
                (SegmentHeader.restingWord() - SegmentHeader.foundedWord()) / Layouts.WORD) + 1;

        private static Head of(long[] words) {
            return new Head(words[0], words[1], words[2], words[3]);
        }

        private boolean knowsNothingAbove(View view) {
            return installed <= view.number() && resting != 0;
        }
    }

    private final WorldIdentity world;
    private final int own;
    private final int incarnation;
    private final LocalMemory memory;
    private final Headers headers;
    private final Clock clock;
    private final List<Integer> others;
    private final Electors electors = new ElectorsOfHeaders();
    private final AtomicReferenceArray<Hearing> hearing;
    // by rank: when this one learned of the life that the view has; guarded by the monitor
    private final long[] learntNanos;
    private final List<AutoCloseable> opened;
    private final BackgroundThread thread;
    private volatile Runnable listener = () -> {};
    private volatile @Nullable View view; // written under the monitor, as are all fields below
    private volatile Status status = Status.NONE;
    private volatile @Nullable JoinRefusedException refusal;
    private Map<Integer, long[]> suspicions = Map.of(); // of the electors that this rank hears, from their last answers
    // the view is from an earlier process, and no rank has said yet whether there is a later one
    private boolean isRestored;
    private boolean takesPart; // true once the ring is spent: this rank has a vote
    private long rests; // a different number for each rest
    private List<ViewChange> wanted = List.of();
    private long wantedNanos; // since when
    private boolean isLeaving;
    private volatile boolean isStarted;
    private volatile boolean closed;

    /** The words of the ring. */
    private final class ElectorsOfHeaders implements Electors {

        private long offset(long number) {
            return SegmentHeader.viewWords(world.maxSize()) + ViewWord.index(number) * Layouts.WORD;
        }

        @Override
        public Map<Integer, Long> read(Collection<Integer> ranks, long number) {
            Map<Integer, Long> words = new HashMap<>();
            headers.read(ranks, offset(number), 1).forEach((rank, word) -> words.put(rank, word[0]));
            return words;
        }

        @Override
        public Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long number) {
            return headers.exchange(exchanges, offset(number));
        }
    }

    /**
     * Takes part by the verbs of a fabric.
     *
     * @param fabrics returns another one when a rank has lost its segment
     * @param background looks after its thread
     */
    public static Views of(WorldIdentity world, Supplier<Fabric> fabrics, int incarnation,
            BackgroundThreads background) {
        Fabric fabric = fabrics.get();
        var headers = new FabricHeaders(fabrics, "atoll-elector-" + world.name() + "-" + fabric.rank());
        Views views = new Views(world, fabric.rank(), incarnation, fabric.local(), headers, fabric.clock(),
                List.of(headers));
        background.add(views.thread);
        return views;
    }

    Views(WorldIdentity world, int own, int incarnation, LocalMemory memory, Headers headers, Clock clock,
            List<AutoCloseable> opened) {
        this.world = world;
        this.own = own;
        this.incarnation = incarnation;
        this.memory = memory;
        this.headers = headers;
        this.clock = clock;
        this.opened = opened;
        this.others = IntStream.range(0, world.size()).filter(rank -> rank != own).boxed().toList();
        this.hearing = new AtomicReferenceArray<>(world.size());
        IntStream.range(0, world.size()).forEach(rank -> hearing.set(rank, Hearing.NOTHING));
        this.learntNanos = new long[world.size()];
        Arrays.fill(learntNanos, clock.nanoTime());
        hearing.set(own, new Hearing(incarnation, false));
        this.thread = new BackgroundThread("atoll-views-" + world.name() + "-" + own, this::step);
        restore();
    }

    /** Goes on from what an earlier process left in the segment. What that process did not hear means nothing now. */
    private void restore() {
        beginWork();
        rests = (long) incarnation << INCARNATION_SHIFT | clock.nanoTime() & (1L << INCARNATION_SHIFT - 1) - 1;
        writeSuspicions(List.of());
        takesPart = memory.getAcquire(SegmentHeader.foundedWord()) == VOTES;
        long installed = memory.getAcquire(SegmentHeader.installedWord());
        if (installed != 0) {
            long[] words = new long[world.maxSize()];
            for (int rank = 0; rank < words.length; rank++) {
                words[rank] = memory.getAcquire(SegmentHeader.viewRecord(world.maxSize(), installed)
                        + rank * Layouts.WORD);
            }
            view = ViewRecord.view(words).orElse(null);
            isRestored = view != null;
        }
        note(List.of());
    }

    /**
     * @param changed is called when another view was installed, or this rank is refused; must neither wait nor throw
     */
    public void start(Runnable changed) {
        listener = changed;
        isStarted = true;
        thread.start();
    }

    /**
     * Notes whether this rank hears the other one, in that incarnation.
     *
     * @param isSuspected true if it hears it no more
     */
    public void hear(int rank, int heard, boolean isSuspected) {
        Hearing next = new Hearing(heard, isSuspected);
        if (!next.equals(hearing.getAndSet(rank, next)) && isStarted) {
            thread.wake();
        }
    }

    /** Returns true if a view has removed the incarnation, which is dead then. */
    public boolean hasRemoved(int rank, int itsIncarnation) {
        View present = view;
        return present != null && present.hasRemoved(rank, itsIncarnation);
    }

    public Status status() {
        return status;
    }

    /** Returns why ranks cannot be reached: for each rank that did not answer the last time. */
    public Map<Integer, String> failures() {
        return headers.failures();
    }

    /** Returns why this process must not take part any more, if a view says so. */
    public Optional<JoinRefusedException> refusal() {
        return Optional.ofNullable(refusal);
    }

    private long step() {
        if (closed || refusal != null) {
            return BackgroundThread.UNTIL_WOKEN;
        }
        try {
            return (advance() ? BUSY_INTERVAL : INTERVAL).toNanos();
        } catch (FencedException stopped) {
            if (closed) {
                return BackgroundThread.UNTIL_WOKEN;
            }
            throw stopped;
        }
    }

    /** From now on it does nothing, for a process that takes part no more. Does not wait for what is under way. */
    public void stop() {
        closed = true;
    }

    /** Goes on as far as it can. Returns true if more is to be done soon. */
    synchronized boolean advance() {
        beginWork();
        boolean isBusy = goOn();
        // What was read has been acted on. The view was installed before this, and before this is said.
        memory.setRelease(SegmentHeader.restingWord(), ++rests);
        return isBusy;
    }

    /** (4) */
    private void beginWork() {
        memory.setRelease(SegmentHeader.restingWord(), 0);
        VarHandle.fullFence(); // before all reads
    }

    private boolean goOn() {
        if (view == null) {
            return find();
        }
        if (isRestored) {
            // The ring may have turned since: words of views that are long over must not be taken for open ones.
            isRestored = !learnLatest(heads());
        }
        catchUp();
        if (refusal != null) {
            return false;
        }
        List<Integer> suspected = suspected();
        writeSuspicions(suspected);
        suspicions = readSuspicions();
        note(status.missing());
        List<ViewChange> viewChanges = wanted(present());
        if (!viewChanges.equals(wanted)) {
            wanted = viewChanges;
            wantedNanos = clock.nanoTime();
        }
        if (viewChanges.isEmpty()) {
            note(List.of());
            return false;
        }
        if (clock.nanoTime() - wantedNanos >= place() * TURN.toNanos()) {
            keepMemoryIfAdded();
            agreed(viewChanges).ifPresent(this::propose);
        }
        return clock.nanoTime() - wantedNanos < BUSY.toNanos();
    }

    private Election election() {
        return new Election(electors, present(), own);
    }

    /**
     * From now on the next process of this rank finds the memory that this one may be added with. If the memory were
     * made anew each time, it would have no vote, although the view counts it.
     */
    private void keepMemoryIfAdded() {
        if (!takesPart) {
            memory.setRelease(SegmentHeader.foundedWord(), ASKS);
        }
    }

    private View present() {
        View present = view;
        if (present == null) {
            throw new IllegalStateException("the world is not founded yet: world=" + world.name());
        }
        return present;
    }

    // --- founding and joining ---

    private boolean find() {
        Map<Integer, Head> heads = heads();
        for (Map.Entry<Integer, Head> head : heads.entrySet()) {
            if (head.getValue().installed() != 0 && learn(head.getKey(), head.getValue().installed())) {
                return true;
            }
        }
        if (heads.size() < others.size() || heads.values().stream().anyMatch(head -> head.installed() != 0)) {
            return suspected().isEmpty() && others.stream().allMatch(rank -> hearing.get(rank).incarnation() > 0);
        }
        if (!takesPart) {
            takePart(1);
            return true;
        }
        if (heads.values().stream().allMatch(head -> head.founded() == VOTES)) {
            install(View.first(world.size(), world.maxSize()));
        }
        return true;
    }

    private Map<Integer, Head> heads() {
        Map<Integer, Head> heads = new HashMap<>();
        headers.read(others, SegmentHeader.foundedWord(), Head.WORDS)
                .forEach((rank, words) -> heads.put(rank, Head.of(words)));
        return heads;
    }

    /** From now on this rank has a vote, in the views that follow the one that it knows. */
    private void takePart(long known) {
        long ring = SegmentHeader.viewWords(world.maxSize());
        for (int index = 0; index < ViewWord.RING; index++) {
            // A word that is not zero was written by an earlier process, and others may have changed it since.
            if (memory.getAcquire(ring + index * Layouts.WORD) == 0) {
                memory.setRelease(ring + index * Layouts.WORD, ViewWord.spent(index, known).toWord());
            }
        }
        // (1) release: a rank that reads this finds a ring that counts.
        memory.setRelease(SegmentHeader.foundedWord(), VOTES);
        takesPart = true;
    }

    private boolean learn(int rank, long number) {
        long[] words = headers.read(List.of(rank), SegmentHeader.viewRecord(world.maxSize(), number), world.maxSize())
                .get(rank);
        Optional<View> found = words == null ? Optional.empty() : ViewRecord.view(words);
        View present = view;
        if (found.isEmpty() || present != null && found.get().number() <= present.number()) {
            return false;
        }
        install(found.get());
        return true;
    }

    /**
     * Installs what was decided meanwhile. Cost: R of each elector, and R of each rank if the electors cannot tell.
     */
    private void catchUp() {
        ProposalOutcome seen = election().look();
        while (seen instanceof ProposalOutcome.Decided decided && refusal == null) {
            install(present().after(decided.viewChange()));
            seen = election().look();
        }
        if (seen instanceof ProposalOutcome.Open || refusal != null) {
            return;
        }
        Map<Integer, Head> heads = heads();
        learnLatest(heads);
        if (seen instanceof ProposalOutcome.NoQuorum && isLost(present(), heads) && heads().equals(heads)) {
            foundAnew();
        }
    }

    /** Returns true if any rank has told. */
    private boolean learnLatest(Map<Integer, Head> heads) {
        heads.forEach((rank, head) -> {
            if (head.installed() > present().number()) {
                learn(rank, head.installed());
            }
        });
        return !heads.isEmpty();
    }

    /**
     * Returns true if this rank may found the world anew, provided that it finds the same heads once more. It must be
     * an elector that has lost its memory, and the electors that have theirs must be no quorum. No rank may know, or be
     * about to learn, anything above the view.
     */
    private boolean isLost(View known, Map<Integer, Head> heads) {
        List<Integer> remembering = heads.keySet().stream().filter(rank -> heads.get(rank).founded() == VOTES).toList();
        return !takesPart && known.electors().contains(own) && !known.isQuorum(remembering)
                && heads.size() == others.size()
                && heads.values().stream().allMatch(head -> head.knowsNothingAbove(known));
    }

    /** (5) */
    private void foundAnew() {
        View next = present().after(ViewChange.NONE);
        LOG.warn("most electors have lost their memory, all go on from the last view that one has: world={} rank={} {}",
                world.name(), own, next);
        install(next);
        // If this process ends in between, others learn that view from it, and its next process asks again.
        takePart(next.number());
    }

    private void install(View next) {
        long record = SegmentHeader.viewRecord(world.maxSize(), next.number());
        long[] words = ViewRecord.words(next);
        for (int rank = 0; rank < words.length; rank++) {
            memory.setRelease(record + rank * Layouts.WORD, words[rank]);
        }
        // (2) release: a rank that reads the number finds the record. Before (3): a ring that is beyond a view tells no
        // rank what was decided.
        memory.setRelease(SegmentHeader.installedWord(), next.number());
        if (!takesPart && hasMemoryOfMember(next)) {
            takePart(next.number());
        }
        others.stream()
                .filter(rank -> view == null || next.incarnation(rank) != present().incarnation(rank))
                .forEach(rank -> learntNanos[rank] = clock.nanoTime());
        boolean isNews = view == null || !next.entries().equals(present().entries());
        if (!isLeaving) {
            refuseIfRemoved(next);
        }
        view = next;
        note(List.of());
        if (isNews) {
            LOG.info("another view of the world: world={} rank={} {} electors={}", world.name(), own, next,
                    next.electors());
        }
        listener.run();
    }

    /**
     * Returns true if the view's member of this rank has had this memory from its first view on. Then a ring of zeros
     * means that it has promised nothing. The member may be an earlier process, which ended before its ring was spent.
     */
    private boolean hasMemoryOfMember(View next) {
        int member = next.incarnation(own);
        int born = SegmentHeader.born(memory);
        return next.isMember(own) && (member == incarnation ? view != null : born > 0 && member >= born);
    }

    private void refuseIfRemoved(View next) {
        if (next.hasRemoved(own, incarnation)) {
            refusal = new JoinRefusedException(Reason.REMOVED, REMOVED + ": world=" + world.name() + " rank=" + own
                    + " incarnation=" + incarnation + " " + next);
        } else if (!takesPart && next.isMember(own, incarnation)) {
            refusal = new JoinRefusedException(Reason.RANK_LOST,
                    "this rank has no memory of the life that the others know by this number, start it anew: world="
                            + world.name()
                            + " rank=" + own + " incarnation=" + incarnation + " " + next);
        }
    }

    // --- suspicions and proposals ---

    private List<Integer> suspected() {
        return others.stream().filter(this::isSuspected).toList();
    }

    /** Leaves out a rank for a while if only the life before the one in the view was not heard. */
    private boolean isSuspected(int rank) {
        Hearing last = hearing.get(rank);
        View known = view;
        boolean isUnmet = known != null && known.isMember(rank) && known.incarnation(rank) > last.incarnation();
        return last.isSuspected()
                && !(isUnmet && clock.nanoTime() - learntNanos[rank] < NEWCOMER.toNanos());
    }

    private void writeSuspicions(List<Integer> suspected) {
        long[] words = bits(suspected);
        for (int index = 0; index < words.length; index++) {
            memory.setRelease(SegmentHeader.suspicions(world.maxSize()) + index * Layouts.WORD, words[index]);
        }
    }

    private long[] bits(List<Integer> ranks) {
        long[] words = new long[Math.toIntExact(SegmentHeader.suspicionBytes(world.maxSize()) / Layouts.WORD)];
        ranks.forEach(rank -> words[rank / Long.SIZE] |= 1L << rank);
        return words;
    }

    /**
     * Returns the changes of which the next view should have one, as this rank sees it. Each rank is added only by
     * itself. So a rank without memory that finds itself in the first view that it learns was a member before. A rank
     * with a number above all that others have met is a newcomer.
     */
    private List<ViewChange> wanted(View known) {
        return Stream.concat(Stream.of(ViewChange.add(own, incarnation)),
                suspected().stream()
                        .map(rank -> ViewChange.remove(rank,
                                Math.max(hearing.get(rank).incarnation(), known.incarnation(rank)))))
                .filter(known::allows)
                .toList();
    }

    private int place() {
        List<Integer> before = present().electors()
                .stream()
                .filter(rank -> rank == own || !isSuspected(rank))
                .toList();
        int place = before.indexOf(own);
        return place < 0 ? before.size() : place;
    }

    /**
     * Returns the first change that may be proposed. A rank is removed if a quorum does not hear it, and no elector
     * that answers hears it. An elector that this rank does not hear itself may have been stopped: its memory would
     * answer for it.
     */
    private Optional<ViewChange> agreed(List<ViewChange> viewChanges) {
        if (viewChanges.getFirst().kind() == ViewChange.Kind.ADD) {
            return Optional.of(viewChanges.getFirst());
        }
        View known = present();
        if (!known.isQuorum(suspicions.keySet())) {
            List<Integer> missing = new ArrayList<>(known.electors());
            missing.removeAll(suspicions.keySet());
            note(missing);
            return Optional.empty();
        }
        return viewChanges.stream()
                .filter(viewChange -> suspicions.values().stream().allMatch(words -> isSet(words, viewChange.rank())))
                .findFirst();
    }

    private Map<Integer, long[]> readSuspicions() {
        List<Integer> asked = present().electors().stream().filter(rank -> !isSuspected(rank)).toList();
        return headers.read(asked, SegmentHeader.suspicions(world.maxSize()),
                Math.toIntExact(SegmentHeader.suspicionBytes(world.maxSize()) / Layouts.WORD));
    }

    private static boolean isSet(long[] bits, int rank) {
        return (bits[rank / Long.SIZE] >>> rank & 1) == 1;
    }

    private ProposalOutcome propose(ViewChange viewChange) {
        View known = present();
        ProposalOutcome proposalOutcome = election().propose(viewChange);
        switch (proposalOutcome) {
            case ProposalOutcome.Decided decided -> install(known.after(decided.viewChange()));
            case ProposalOutcome.NoQuorum few -> note(few.missing());
            case ProposalOutcome.Open _,ProposalOutcome.Beaten _,ProposalOutcome.Behind _ -> note(List.of());
        }
        return proposalOutcome;
    }

    private void note(List<Integer> missing) {
        List<Integer> suspected = suspected();
        SortedMap<Integer, List<Integer>> suspecting = new TreeMap<>();
        for (int rank = 0; rank < world.size(); rank++) {
            List<Integer> suspects = suspecting(rank, suspected);
            if (!suspects.isEmpty()) {
                suspecting.put(rank, suspects);
            }
        }
        status = new Status(view, suspected, suspecting, missing);
    }

    private List<Integer> suspecting(int rank, List<Integer> suspected) {
        return IntStream.range(0, world.size())
                .filter(by -> by == own ? suspected.contains(rank) : suspects(by, rank))
                .boxed()
                .toList();
    }

    private boolean suspects(int elector, int rank) {
        long[] words = suspicions.get(elector);
        return words != null && isSet(words, rank);
    }

    /**
     * Has this rank removed, so that the others need not find out that it has left. For a process that uses its segment
     * no more. Waits at most a second, and not if no quorum answers.
     */
    public synchronized void leave() {
        if (closed) {
            return;
        }
        isLeaving = true;
        closed = true;
        if (view == null) {
            return;
        }
        beginWork();
        try {
            proposeToLeave();
        } catch (FabricException unreachable) {
            LOG.debug("cannot leave, the others will find out: world={} rank={}", world.name(), own, unreachable);
        }
    }

    private void proposeToLeave() {
        long deadlineNanos = clock.nanoTime() + LEAVING.toNanos();
        ViewChange leaving = ViewChange.remove(own, incarnation);
        View last = present();
        while (refusal == null && present().allows(leaving) && clock.nanoTime() < deadlineNanos) {
            catchUp();
            last = present();
            if (refusal == null && propose(leaving) instanceof ProposalOutcome.NoQuorum) {
                return;
            }
        }
        if (last != view) {
            awaitSeen(last, deadlineNanos);
        }
    }

    /**
     * Waits until the others have seen the view. The electors that stay may be no quorum of the view before, as rank 1
     * of two. Then they cannot see it once this rank has gone.
     */
    private void awaitSeen(View before, long deadlineNanos) {
        List<Integer> left = before.electors().stream().filter(rank -> rank != own).toList();
        if (before.isQuorum(left)) {
            return;
        }
        var backoff = new Backoff(clock, Duration.ofNanos(Math.max(0, deadlineNanos - clock.nanoTime())));
        boolean isSeen = false;
        while (!isSeen && backoff.pause()) {
            isSeen = heads().values().stream().allMatch(head -> head.installed() >= present().number());
        }
    }

    /** Ends its thread. */
    @Override
    public void close() {
        closed = true;
        thread.close();
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception failure) {
                throw new IllegalStateException("the views of the world do not end: world=" + world.name(), failure);
            }
        }
    }
}
