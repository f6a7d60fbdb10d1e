package io.atoll.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.memory.SegmentHeader;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a table of locks from outside, by reading what each rank has written down in its own segment. What lies at a
 * rank that cannot be reached is absent.
 */
public final class LockView {

    private static final int LINES_IN_BUFFER = (int) (Batch.THREAD_BUFFER_BYTES / CountLine.SIZE);

    private static final Logger LOG = LoggerFactory.getLogger(LockView.class);

    private final Endpoint endpoint;
    private final TableLayout layout;
    private final boolean asymmetric;
    private final long[] blocks;
    // The incarnations in which the segments were made, as far as they have been read.
    private final long[] births;
    // By rank: why this look could not reach it. The look does not wait for such a rank again.
    private final @Nullable FabricException[] failures;

    /**
     * @param asymmetric true if the owner's threads stand in a queue of their own
     * @param blocks the offset of the table in each rank's segment; 0 where it is not known
     */
    public LockView(Endpoint endpoint, TableLayout layout, boolean asymmetric, long[] blocks) {
        this.endpoint = endpoint;
        this.layout = layout;
        this.asymmetric = asymmetric;
        this.blocks = blocks.clone();
        this.births = new long[blocks.length];
        this.failures = new FabricException[blocks.length];
    }

    /** Returns the number of locks. */
    public long locks() {
        return layout.locks();
    }

    /**
     * Returns the state of the lock. Cost at each rank: 3R, R for each 512 descriptors, and R for its counts. Births,
     * times and counts of many ranks take one round trip each. Cost for the lock: R. Cost for each thread that holds or
     * wants it: 2R, and R for a key.
     */
    public LockState look(long index) {
        begin();
        return look(List.of(index)).getFirst();
    }

    /**
     * Returns at most {@code most} locks with the longest waits, summed over all threads. The hottest lock comes first.
     * Cost at each rank: R for each 512 locks and R for each 512 descriptors. For small tables, one round trip reads
     * the waits of several ranks. Cost for each returned lock: as {@link #look}.
     */
    public List<LockState> hottest(int most) {
        begin();
        long[] waited = waitedNanos();
        var hottest = new PriorityQueue<Long>(Comparator.comparingLong(index -> waited[index.intValue()]));
        for (long index = 0; index < waited.length; index++) {
            if (waited[(int) index] > 0) {
                hottest.add(index);
                if (hottest.size() > most) {
                    hottest.remove();
                }
            }
        }
        return look(hottest.stream()
                .sorted(Comparator.comparingLong((Long index) -> waited[index.intValue()]).reversed())
                .toList());
    }

    /**
     * Returns the locks that are held or wanted at the moment. Cost at each rank: 3R, and R for each 512 descriptors.
     * Cost for each returned lock: as {@link #look}.
     */
    public List<LockState> busy() {
        begin();
        Map<Long, Seen> seen = seen(LockView::leaveOut);
        return seen.entrySet()
                .stream()
                .filter(each -> each.getValue().isBusy())
                .sorted(Map.Entry.comparingByKey())
                .map(each -> state(each.getKey(), each.getValue()))
                .toList();
    }

    private List<LockState> look(List<Long> indices) {
        Map<Long, Seen> seen = seen(LockView::leaveOut);
        return indices.stream().map(index -> state(index, seen.getOrDefault(index, new Seen()))).toList();
    }

    /**
     * Returns the holder of the lock. Cost: 2R. If a thread has or wants the lock, 3R more at each rank, and R for each
     * 512 descriptors there. 2R for the holder, and R for its key.
     *
     * @throws FabricException if the lock cannot be read. Also thrown if no holder is seen and a rank that may hold the
     * lock cannot be read
     */
    public Optional<LockState.Request> holder(long index) {
        begin();
        if (isFree(index)) {
            return Optional.empty();
        }
        List<FabricException> unseen = new ArrayList<>();
        Raw holder = seen(unseen::add).getOrDefault(index, new Seen()).holder;
        if (holder == null && !unseen.isEmpty()) {
            throw unseen.getLast();
        }
        return Optional.ofNullable(holder).map(this::request);
    }

    /**
     * Demands the end of a hold of the rank whose thread holds the lock, see {@link io.atoll.Inspection#forceUnlock}.
     * One thread of a process may do so at a time. Cost: as {@link #holder}, and R for each entry of the holder's
     * directory. 4W in one round trip, and R for each look at the answer.
     *
     * @param self the rank that demands
     * @param table the name of the table
     * @param token the fencing token of the hold
     * @param patience how long this call waits for the answer, besides the time of the reads and writes
     * @throws FabricException if a rank cannot be reached
     */
    public ForcedUnlock forceUnlock(Participant self, String table, long index, long token, Duration patience) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        Optional<LockState.Request> holder = holder(index);
        if (holder.isEmpty()) {
            return ForcedUnlock.NOT_HELD;
        }
        if (holder.get().token().orElse(0) != token) {
            return ForcedUnlock.HOLDER_CHANGED;
        }
        int rank = holder.get().rank();
        // The block is looked up anew, by what reaches that rank now. The demand must not be written into memory that
        // has taken the place of a lost segment.
        Optional<NamedStructure> block = self.directory()
                .structures(rank)
                .stream()
                .filter(each -> each.name().equals(table))
                .findFirst();
        if (block.isEmpty()) {
            return ForcedUnlock.NOT_HELD;
        }
        long demands = block.get().offset()
                + TableLayout.of(self.size(), self.maxSize(), block.get().configuration()).demands();
        Duration rest = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
        ForcedUnlock outcome = new Demander(self).demand(rank, demands,
                Descriptor.lock(FencingToken.born(token), index), FencingToken.token(token), rest);
        boolean isAnothers = outcome == ForcedUnlock.NOT_HELD && holder(index).isPresent();
        return isAnothers ? ForcedUnlock.HOLDER_CHANGED : outcome;
    }

    /** Forgets the failures of earlier looks: a rank that one of them could not reach may be back. */
    private void begin() {
        Arrays.fill(failures, null);
    }

    private boolean isFree(long index) {
        int owner = layout.owner(index);
        if (blocks[owner] == 0) {
            throw Parts.another(owner);
        }
        long line = blocks[owner] + layout.line(index);
        return endpoint.readWord(owner, line + LockLine.LOCAL_TAIL) == Tail.FREE
                && endpoint.readWord(owner, line + LockLine.REMOTE_TAIL) == Tail.FREE;
    }

    private LockState state(long index, Seen seen) {
        int owner = layout.owner(index);
        Noted holder = seen.holder == null ? null : noted(seen.holder);
        List<LockState.Request> local = new ArrayList<>();
        List<LockState.Request> remote = new ArrayList<>();
        for (Raw waiting : seen.inOrder()) {
            (isLocal(waiting) ? local : remote).add(request(waiting));
        }
        List<LockState.Request> all = Stream.concat(local.stream(), remote.stream())
                .sorted(Comparator.comparing(LockState.Request::age).reversed())
                .toList();
        return new LockState(index, owner, Optional.ofNullable(holder).map(Noted::request), all, List.copyOf(local),
                List.copyOf(remote), holder == null ? OptionalInt.empty() : holder.budget(), victim(owner, index),
                counts(index));
    }

    private boolean isLocal(Raw request) {
        return asymmetric && request.rank() == layout.owner(Descriptor.index(request.lock()));
    }

    /** Returns the victim if threads of both cohorts hold or want the lock. Otherwise the word means nothing. */
    private Optional<LockState.Cohort> victim(int owner, long index) {
        LockState.@Nullable Cohort[] victim = {null};
        ifReachable(owner, () -> {
            Batch line = endpoint.batch(owner);
            line.read(owner, blocks[owner] + layout.line(index), 0, LockLine.SIZE);
            line.complete();
            if (asymmetric && line.word(LockLine.LOCAL_TAIL) != Tail.FREE
                    && line.word(LockLine.REMOTE_TAIL) != Tail.FREE) {
                victim[0] = line.word(LockLine.VICTIM) == LockLine.LOCAL
                        ? LockState.Cohort.LOCAL
                        : LockState.Cohort.REMOTE;
            }
        });
        return Optional.ofNullable(victim[0]);
    }

    // --- requests ---

    /** A descriptor as it was read. */
    private record Raw(long name, int rank, long lock, long phase, long predecessor, long sinceMillis, long nowMillis,
            String thread) {

        private long place() {
            return Phase.kind(phase) == Phase.WAITING || Phase.kind(phase) == Phase.LEAVING
                    ? Tail.descriptor(Tail.rank(predecessor), Tail.incarnation(predecessor), Tail.index(predecessor))
                    : Tail.FREE;
        }
    }

    /** A request, and the budget if it holds its lock. */
    private record Noted(LockState.Request request, OptionalInt budget) {}

    private static final class Seen {

        private @Nullable Raw holder;
        private final List<Raw> waiting = new ArrayList<>();
        // Requests of threads that have given up. They keep their places.
        private final List<Raw> left = new ArrayList<>();

        private boolean isBusy() {
            return holder != null || !waiting.isEmpty();
        }

        /**
         * Returns the waiters in the order of their places. A waiter stands behind its predecessor if the predecessor
         * waits, too, or has given up.
         */
        private List<Raw> inOrder() {
            Map<Long, Raw> byName = new HashMap<>();
            Stream.concat(waiting.stream(), left.stream()).forEach(each -> byName.put(each.name(), each));
            Map<Long, Integer> depths = new HashMap<>();
            for (Raw each : waiting) {
                int depth = 0;
                for (Raw at = byName.get(each.place()); at != null && depth < byName.size(); depth++) {
                    at = byName.get(at.place());
                }
                depths.put(each.name(), depth);
            }
            return waiting.stream()
                    .sorted(Comparator.comparingInt((Raw each) -> depths.getOrDefault(each.name(), 0))
                            .thenComparingLong(Raw::sinceMillis))
                    .toList();
        }
    }

    private LockState.Request request(Raw raw) {
        return noted(raw).request();
    }

    /**
     * Returns the request with the contents of its note. The note counts only if the descriptor is in the same turn
     * after the note has been read.
     */
    private Noted noted(Raw raw) {
        Noted[] noted = {noted(raw, 0, OptionalLong.empty(), Optional.empty(), OptionalInt.empty())};
        ifReachable(raw.rank(), () -> noted[0] = readNote(raw));
        return noted[0];
    }

    private Noted noted(Raw raw, long threadId, OptionalLong token, Optional<String> key, OptionalInt budget) {
        boolean holds = Phase.kind(raw.phase()) == Phase.HOLDING;
        var request = new LockState.Request(raw.rank(), raw.thread(), threadId, Instant.ofEpochMilli(raw.sinceMillis()),
                Duration.ofMillis(Math.max(0, raw.nowMillis() - raw.sinceMillis())),
                raw.rank() == layout.owner(Descriptor.index(raw.lock())), holds, token, key);
        return new Noted(request, budget);
    }

    private Noted readNote(Raw raw) {
        int rank = raw.rank();
        long index = Descriptor.index(raw.lock());
        boolean own = rank == layout.owner(index);
        long note = blocks[rank] + layout.notes() + Tail.index(raw.name()) * Note.SIZE;
        Batch words = endpoint.batch(rank);
        words.read(rank, note, 0, Note.SIZE);
        if (own) {
            words.read(rank, blocks[rank] + layout.line(index), Note.SIZE, LockLine.SIZE);
        }
        words.complete();
        long threadId = words.word(Note.THREAD);
        long turn = Note.turn(Phase.turn(raw.phase()));
        boolean holds = Phase.kind(raw.phase()) == Phase.HOLDING;
        boolean isRequest = holds && words.word(Note.TURN) == turn;
        long grant = words.word(Note.GRANT);
        // A thread of the owner that found the lock free has left its token in the line.
        long token = isRequest ? Grant.token(grant) : own ? words.word(Note.SIZE + LockLine.TOKEN) : 0;
        boolean hasKey = holds && words.word(Note.KEY_TURN) == turn;
        // (11) The text is read after its turn, and the writer wrote the turn after the text. One read of both would
        // cover two lines, which could belong to two keys.
        Optional<String> key = hasKey ? Optional.of(key(rank, note)) : Optional.empty();
        // (10) The phase is read after all of these words. If the phase is still the same, none of them is another
        // turn's.
        if (!holds || token == 0 || endpoint.readWord(rank, descriptor(raw) + Descriptor.PHASE) != raw.phase()) {
            return noted(raw, threadId, OptionalLong.empty(), Optional.empty(), OptionalInt.empty());
        }
        return noted(raw, threadId, OptionalLong.of(FencingToken.of(Descriptor.born(raw.lock()), token)), key,
                isRequest && asymmetric ? OptionalInt.of(Grant.budget(grant)) : OptionalInt.empty());
    }

    private String key(int rank, long note) {
        Batch words = endpoint.batch(rank);
        words.read(rank, note + Note.KEY, 0, Note.KEY_BYTES);
        words.complete();
        return text(words, 0, Note.KEY_BYTES);
    }

    private long descriptor(Raw raw) {
        return Descriptors.offset(blocks[raw.rank()] + layout.requests(), layout.maxSize(), layout.descriptors(),
                raw.name());
    }

    /** Returns what is seen of each lock that a thread holds or wants. */
    private Map<Long, Seen> seen(Consumer<FabricException> unreachable) {
        Map<Long, Seen> seen = new HashMap<>();
        for (int rank = 0; rank < blocks.length; rank++) {
            if (blocks[rank] == 0) {
                unreachable.accept(Parts.another(rank));
            }
        }
        ofEach(Long.BYTES, _ -> SegmentHeader.bornWord(),
                (rank, words, position) -> births[rank] = words.word(position), unreachable);
        // The times are read before the descriptors, so an age may come out too short, but never too long.
        long[] nowMillis = new long[blocks.length];
        ofEach(Long.BYTES, rank -> Descriptors.time(blocks[rank] + layout.requests()),
                (rank, words, position) -> nowMillis[rank] = words.word(position), unreachable);
        for (int rank = 0; rank < blocks.length; rank++) {
            int from = rank;
            ifReachable(rank, () -> addSeen(seen, from, nowMillis[from]), unreachable);
        }
        return seen;
    }

    private void addSeen(Map<Long, Seen> seen, int rank, long nowMillis) {
        long table = blocks[rank] + layout.requests();
        Descriptors.visit(endpoint, rank, layout.maxSize(), table, layout.descriptors(),
                (name, words, position) -> note(seen, rank, name, nowMillis, words, position));
    }

    private void note(Map<Long, Seen> seen, int rank, long name, long nowMillis, Batch words, long position) {
        long lock = words.word(position + Descriptor.LOCK);
        long index = Descriptor.index(lock);
        int owner = layout.owner(index);
        if (index >= layout.locks() || Descriptor.born(lock) != births[owner]) {
            // The request is for a lock that was lost.
            return;
        }
        Raw request = new Raw(name, rank, lock, words.word(position + Descriptor.PHASE),
                words.word(position + Descriptor.PREDECESSOR), words.word(position + Descriptor.SINCE), nowMillis,
                text(words, position + Descriptor.THREAD, Descriptor.NAME_BYTES));
        long kind = Phase.kind(request.phase());
        Seen at = seen.computeIfAbsent(index, _ -> new Seen());
        if (kind == Phase.LEAVING) {
            // The thread of this request waits no more.
            at.left.add(request);
        } else if (kind == Phase.HOLDING) {
            at.holder = request;
        } else if (kind != Phase.RELEASING) {
            at.waiting.add(request);
        }
    }

    /** Returns the text up to its end, without a last character that was cut off. */
    private static String text(Batch words, long position, int bytes) {
        byte[] text = new byte[bytes];
        ByteBuffer buffer = ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < bytes; at += Long.BYTES) {
            buffer.putLong(at, words.word(position + at));
        }
        return new String(text, UTF_8).replaceAll("(?s)\0.*", "").replaceAll("\uFFFD+$", "");
    }

    // --- counts ---

    private LockState.Counts counts(long index) {
        LockState.Counts[] sum = {LockState.Counts.NONE};
        if (layout.counted()) {
            ofEach(CountLine.SIZE, rank -> blocks[rank] + layout.counts() + index * CountLine.SIZE,
                    (rank, lines, position) -> sum[0] = sum[0].plus(counts(rank, index, lines, position)),
                    LockView::leaveOut);
        }
        return sum[0];
    }

    private LockState.Counts counts(int rank, long index, Batch lines, long position) {
        long acquisitions = lines.word(position + CountLine.ACQUISITIONS);
        boolean local = rank == layout.owner(index);
        return new LockState.Counts(local ? acquisitions : 0, local ? 0 : acquisitions,
                lines.word(position + CountLine.PASSES), lines.word(position + CountLine.REACQUISITIONS),
                lines.word(position + CountLine.WAITS), Duration.ofNanos(lines.word(position + CountLine.WAITED)),
                Duration.ofNanos(lines.word(position + CountLine.LONGEST)),
                lines.word(position + CountLine.RECOVERIES));
    }

    // --- of each rank ---

    /** Takes the words that were read at a rank. They begin at {@code position} of the batch. */
    private interface RankReader {
        void read(int rank, Batch read, long position);
    }

    /**
     * Reads this number of bytes at each rank that this look has reached so far. One round trip reads from as many
     * ranks as the buffer has room for. If one of these ranks cannot be reached, they are read one after the other.
     */
    private void ofEach(long bytes, IntToLongFunction offset, RankReader reader,
            Consumer<FabricException> unreachable) {
        int most = (int) (Batch.THREAD_BUFFER_BYTES / bytes);
        int[] ranks = IntStream.range(0, blocks.length).filter(rank -> blocks[rank] != 0).toArray();
        for (int first = 0; first < ranks.length; first += most) {
            int[] some = Arrays.copyOfRange(ranks, first, Math.min(ranks.length, first + most));
            if (Arrays.stream(some).anyMatch(rank -> failures[rank] != null)
                    || !together(some, bytes, offset, reader)) {
                for (int rank : some) {
                    ifReachable(rank, () -> together(endpoint.batch(rank), new int[]{rank}, bytes, offset, reader),
                            unreachable);
                }
            }
        }
    }

    private boolean together(int[] ranks, long bytes, IntToLongFunction offset, RankReader reader) {
        try (Batch batch = endpoint.batch()) {
            together(batch, ranks, bytes, offset, reader);
            return true;
        } catch (FabricException failure) {
            leaveOut(failure);
            return false;
        }
    }

    private static void together(Batch batch, int[] ranks, long bytes, IntToLongFunction offset, RankReader reader) {
        for (int place = 0; place < ranks.length; place++) {
            batch.read(ranks[place], offset.applyAsLong(ranks[place]), place * bytes, bytes);
        }
        batch.complete();
        for (int place = 0; place < ranks.length; place++) {
            reader.read(ranks[place], batch, place * bytes);
        }
    }

    /** Returns the time that threads have waited for each lock, summed over all ranks. */
    private long[] waitedNanos() {
        long[] waited = new long[layout.counted() ? Math.toIntExact(layout.locks()) : 0];
        for (int line = 0; line < waited.length; line += LINES_IN_BUFFER) {
            int first = line;
            int lines = Math.min(LINES_IN_BUFFER, waited.length - first);
            ofEach(lines * CountLine.SIZE, rank -> blocks[rank] + layout.counts() + first * CountLine.SIZE,
                    (_, read, position) -> addWaited(waited, first, lines, read, position), LockView::leaveOut);
        }
        return waited;
    }

    private static void addWaited(long[] waited, int first, int lines, Batch read, long position) {
        for (int line = 0; line < lines; line++) {
            waited[first + line] += read.word(position + line * CountLine.SIZE + CountLine.WAITED);
        }
    }

    private void ifReachable(int rank, Runnable look) {
        ifReachable(rank, look, LockView::leaveOut);
    }

    private void ifReachable(int rank, Runnable look, Consumer<FabricException> unreachable) {
        if (blocks[rank] == 0) {
            return;
        }
        FabricException known = failures[rank];
        if (known != null) {
            unreachable.accept(known);
            return;
        }
        try {
            look.run();
        } catch (FabricException failure) {
            failures[rank] = failure;
            unreachable.accept(failure);
        }
    }

    private static void leaveOut(FabricException unreachable) {
        LOG.debug("a rank cannot be looked at", unreachable);
    }
}
