package io.atoll.lock.observation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Parts;
import io.atoll.lock.words.CountLine;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.Phase;
import io.atoll.lock.words.TableLayout;
import io.atoll.lock.words.Tail;
import io.atoll.memory.SegmentHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A table of locks, looked at from outside: by reads of what each rank has written down in its own segment. What lies at ranks that cannot be reached is absent. */
public final class LockView {

    private static final int LINES_IN_BUFFER = (int) (Batch.THREAD_BUFFER_BYTES / CountLine.SIZE);

    private static final Logger LOG = LoggerFactory.getLogger(LockView.class);

    private final Endpoint endpoint;
    private final TableLayout layout;
    private final long[] blocks;
    private final long[] births; // of segments, as far as they have been read

    /**
     * @param blocks where the table begins in each rank's segment, 0 where that is not known
     */
    public LockView(Endpoint endpoint, TableLayout layout, long[] blocks) {
        this.endpoint = endpoint;
        this.layout = layout;
        this.blocks = blocks.clone();
        this.births = new long[blocks.length];
    }

    /** How many locks there are. */
    public long locks() {
        return layout.locks();
    }

    /** Cost: of each rank 2R and R for each 512 descriptors, and 2R. */
    public LockState look(long index) {
        return look(List.of(index)).getFirst();
    }

    /** Those for which has been waited longest, all waits together, the hottest first. Cost: of each rank R for each 512 locks and for each 512 descriptors, and R for each of those. */
    public List<LockState> hottest(int most) {
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

    /** Those that are held or wanted at the moment. Cost: as {@link #look}, and R for each of those. */
    public List<LockState> busy() {
        Map<Long, Seen> seen = seen(LockView::leaveOut);
        return seen.keySet()
                .stream()
                .sorted()
                .map(index -> state(index, seen.getOrDefault(index, new Seen())))
                .toList();
    }

    private List<LockState> look(List<Long> indices) {
        Map<Long, Seen> seen = seen(LockView::leaveOut);
        return indices.stream().map(index -> state(index, seen.getOrDefault(index, new Seen()))).toList();
    }

    /**
     * Who holds the lock. Cost: 2R; if somebody has it or wants it, of each rank R for each 512 descriptors and R besides.
     *
     * @throws FabricException when it is not seen, and a rank that may hold it cannot be looked at, or the lock cannot
     */
    public Optional<LockRequest> holder(long index) {
        if (isFree(index)) {
            return Optional.empty();
        }
        List<FabricException> unseen = new ArrayList<>();
        LockRequest holder = seen(unseen::add).getOrDefault(index, new Seen()).holder;
        if (holder == null && !unseen.isEmpty()) {
            throw unseen.getLast();
        }
        return Optional.ofNullable(holder);
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
        seen.waiting.sort(Comparator.comparing(LockRequest::since));
        return new LockState(index, layout.owner(index), Optional.ofNullable(seen.holder), seen.waiting,
                counts(index));
    }

    // --- requests ---

    private static final class Seen {

        private @Nullable LockRequest holder;
        private final List<LockRequest> waiting = new ArrayList<>();
    }

    /** Of each lock that somebody holds or wants. */
    private Map<Long, Seen> seen(Consumer<FabricException> unreachable) {
        Map<Long, Seen> seen = new HashMap<>();
        for (int rank = 0; rank < blocks.length; rank++) {
            int owner = rank;
            if (blocks[rank] == 0) {
                unreachable.accept(Parts.another(rank));
            }
            ifReachable(rank, () -> births[owner] = endpoint.readWord(owner, SegmentHeader.bornWord()), unreachable);
        }
        for (int rank = 0; rank < blocks.length; rank++) {
            int from = rank;
            ifReachable(rank, () -> addSeen(seen, from), unreachable);
        }
        return seen;
    }

    private void addSeen(Map<Long, Seen> seen, int rank) {
        Descriptors.visit(endpoint, rank, layout.maxSize(), blocks[rank] + layout.requests(), layout.descriptors(),
                (_, words, position) -> note(seen, rank, words, position));
    }

    private void note(Map<Long, Seen> seen, int rank, Batch words, long position) {
        long lock = words.word(position + Descriptor.LOCK);
        long index = Descriptor.index(lock);
        int owner = layout.owner(index);
        if (index >= layout.locks() || Descriptor.born(lock) != births[owner]) {
            return; // of a lock that was lost
        }
        long phase = Phase.kind(words.word(position + Descriptor.PHASE));
        if (phase == Phase.LEAVING) {
            return; // its thread waits no more
        }
        Seen at = seen.computeIfAbsent(index, _ -> new Seen());
        LockRequest request = new LockRequest(rank, thread(words, position),
                Instant.ofEpochMilli(words.word(position + Descriptor.SINCE)), rank == owner);
        if (phase == Phase.HOLDING) {
            at.holder = request;
        } else if (phase != Phase.RELEASING) {
            at.waiting.add(request);
        }
    }

    private static String thread(Batch words, long position) {
        byte[] name = new byte[Descriptor.NAME_BYTES];
        ByteBuffer buffer = ByteBuffer.wrap(name).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < name.length; at += Long.BYTES) {
            buffer.putLong(at, words.word(position + Descriptor.THREAD + at));
        }
        return new String(name, UTF_8).replaceAll("\0.*", "");
    }

    // --- counts ---

    private LockCounts counts(long index) {
        LockCounts[] sum = {LockCounts.NONE};
        for (int rank = 0; layout.counted() && rank < blocks.length; rank++) {
            int from = rank;
            ifReachable(rank, () -> sum[0] = sum[0].plus(counts(from, index)));
        }
        return sum[0];
    }

    private LockCounts counts(int rank, long index) {
        Batch batch = endpoint.batch(rank);
        batch.read(rank, blocks[rank] + layout.counts() + index * CountLine.SIZE, 0, CountLine.SIZE);
        batch.complete();
        long acquisitions = batch.word(CountLine.ACQUISITIONS);
        boolean local = rank == layout.owner(index);
        return new LockCounts(local ? acquisitions : 0, local ? 0 : acquisitions, batch.word(CountLine.PASSES),
                batch.word(CountLine.REACQUISITIONS), batch.word(CountLine.WAITS),
                Duration.ofNanos(batch.word(CountLine.WAITED)), Duration.ofNanos(batch.word(CountLine.LONGEST)),
                batch.word(CountLine.RECOVERIES));
    }

    /** Of each lock, by all ranks. */
    private long[] waitedNanos() {
        long[] waited = new long[layout.counted() ? Math.toIntExact(layout.locks()) : 0];
        for (int rank = 0; rank < blocks.length; rank++) {
            int from = rank;
            ifReachable(rank, () -> addWaited(from, waited));
        }
        return waited;
    }

    private void addWaited(int rank, long[] waited) {
        for (int first = 0; first < waited.length; first += LINES_IN_BUFFER) {
            int lines = Math.min(LINES_IN_BUFFER, waited.length - first);
            try (Batch batch = endpoint.batch(rank)) {
                batch.read(rank, blocks[rank] + layout.counts() + first * CountLine.SIZE, 0, lines * CountLine.SIZE);
                batch.complete();
                for (int line = 0; line < lines; line++) {
                    waited[first + line] += batch.word(line * CountLine.SIZE + CountLine.WAITED);
                }
            }
        }
    }

    private void ifReachable(int rank, Runnable look) {
        ifReachable(rank, look, LockView::leaveOut);
    }

    private void ifReachable(int rank, Runnable look, Consumer<FabricException> unreachable) {
        if (blocks[rank] == 0) {
            return;
        }
        try {
            look.run();
        } catch (FabricException failure) {
            unreachable.accept(failure);
        }
    }

    private static void leaveOut(FabricException unreachable) {
        LOG.debug("a rank cannot be looked at", unreachable);
    }
}
