package io.atoll.chaos.workload;

import io.atoll.array.LongArray;
import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.collective.Exchange;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.queue.FastQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What all ranks do together in rounds: exchanges, barriers, a {@link FastQueue} in phases, and a
 * {@link HashMapBuffer}. Each step is an exchange by which all learn how far the others are. Only if all are equally
 * far do they take the next phase; else all begin another round. So a rank that failed in a phase, or was started
 * again, never lets others wait for good. What a round's phases must have brought is judged when all have said that
 * they have passed them.
 */
final class TogetherWorkload extends Workload {

    private static final int FIELDS = 4;
    private static final int PUSHED = 20;
    private static final int INSERTED = 40;
    private static final int CAPACITY = 1000;
    private static final long PHASES = 5;
    private static final long FAILED = -1;
    private static final long PATIENCE_SECONDS = 4;

    private static final ScheduledExecutorService WATCH = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("chaos-watch").daemon().factory());

    private final List<Long> inserted = new ArrayList<>(); // and not known to be in the map, though the next flush that ends brings it there
    private final List<Long> insertedSince = new ArrayList<>(); // a flush was interrupted: that one is called again first, and brings only what was there before
    private List<Exchange> exchanges = List.of();
    private List<Exchange> reducing = List.of(); // apart from the others: who has failed in it goes on with that, while others are in these still
    private List<FastQueue<Long>> queues = List.of();
    private List<DistributedMap<Long, Long>> maps = List.of();
    private @Nullable HashMapBuffer<Long, Long> buffer;
    private boolean flushIsOpen; // it was interrupted
    private boolean flushed; // with the last flush all of it was in the map
    private long round;
    private long phase;
    private boolean roundEnded; // with the last step
    private @Nullable LongArray written;
    private long[] contributions = {}; // to the last exchange
    private String wrong = ""; // with what the last phase has brought, if all have passed that

    TogetherWorkload(Scene scene, int thread) {
        super(scene, Structure.EXCHANGE, thread);
    }

    @Override
    protected void open() {
        exchanges = List.of(exchange("together"), exchange("together"));
        reducing = List.of(exchange("combining"), exchange("combining"));
        queues = List.of(queue(), queue());
        maps = List.of(map(), map());
        buffer = maps.getFirst().buffer(4 * INSERTED, 8);
        written = scene.world.longArray("written-together").length(scene.setting.size()).open();
        // Larger than that of any life before, also if all ranks were started again.
        round = (System.nanoTime() - scene.setting.begin()) / 1_000;
    }

    private Exchange exchange(String name) {
        return scene.world.collectives().exchange(name).open();
    }

    private FastQueue<Long> queue() {
        return scene.world.fastQueue("fast-queue", Long.class).capacity(CAPACITY).open();
    }

    private DistributedMap<Long, Long> map() {
        return scene.world.map("buffered", Long.class, Long.class).capacity(64).open();
    }

    private <T> T either(List<T> handles) {
        return handles.get(handle());
    }

    private static <T> T opened(@Nullable T structure) {
        if (structure == null) {
            throw new IllegalStateException("not open");
        }
        return structure;
    }

    @Override
    protected void step() throws Exception {
        roundEnded = false;
        int size = scene.setting.size();
        long tag = value();
        long[] all = new long[size * FIELDS];
        recordTogether(1,
                () -> either(exchanges).allGather(MemorySegment.ofArray(new long[]{round, phase, bit(flushed), tag}),
                        MemorySegment.ofArray(all)));
        note(all);
        contributions = IntStream.range(0, size).mapToLong(rank -> all[rank * FIELDS + 3]).toArray();
        boolean equal = true;
        boolean allFlushed = true;
        long last = 0;
        for (int rank = 0; rank < size; rank++) {
            equal &= all[rank * FIELDS] == round && all[rank * FIELDS + 1] == phase;
            allFlushed &= all[rank * FIELDS + 2] == 1;
            last = Math.max(last, all[rank * FIELDS]);
        }
        if (!equal || phase == FAILED) {
            round = last + 1;
            phase = 0;
            return;
        }
        long next = phase + 1;
        phase = FAILED; // unless it passes
        pass(next, allFlushed);
        phase = next;
        if (phase == PHASES) {
            round++;
            phase = 0;
            roundEnded = true;
        }
    }

    @Override
    public void hurry() {
        interrupt();
    }

    /** After a whole round. */
    @Override
    protected boolean hasSucceeded() {
        return roundEnded;
    }

    /** A rank whose watch has interrupted it has left what was under way, and the others are told. */
    @Override
    protected boolean isPartOfIt(Throwable failure) {
        return failure instanceof RankUnreachableException;
    }

    private void note(long[] all) {
        long digest = Arrays.hashCode(all);
        for (int field = 3; field < all.length; field += FIELDS) {
            note(Verb.SEE, all[field], digest, 0);
        }
    }

    private void pass(long next, boolean allFlushed) throws Exception {
        switch ((int) next) {
            case 1 -> record(Verb.OPEN, 2, 0, 0, () -> {
                while (either(queues).pop() != null) {
                    Thread.onSpinWait(); // what a round has left that failed
                }
                return 0;
            });
            case 2 -> {
                for (int count = 0; count < PUSHED; count++) {
                    long value = value();
                    record(Verb.PUSH, round, value, 0, () -> bit(either(queues).push(value)));
                }
                if (!scene.setting.reduces()) {
                    insert();
                }
            }
            case 3 -> {
                long popped = 0;
                while (popped != Entry.ABSENT) {
                    popped = record(Verb.POP, round, 0, 0, () -> orAbsent(either(queues).pop()));
                }
                if (!scene.setting.reduces()) {
                    flush();
                }
            }
            case 4 -> wrong = combine();
            default -> {
                if (!wrong.isEmpty()) {
                    find(wrong);
                }
                note(Verb.CLEAN, round, 0, 0);
                if (allFlushed) {
                    find();
                }
            }
        }
    }

    /** Returns what is not as it must be if all take part in the same. */
    private String combine() throws Exception {
        int self = scene.setting.rank();
        int root = (int) (round % scene.setting.size());
        opened(written).set(self, round);
        opened(written).flush();
        recordTogether(6, () -> either(reducing).barrier());
        long[] words = new long[scene.setting.size()];
        record(Verb.OPEN, 7, round, 0, () -> {
            opened(written).read(0, words);
            return 0;
        });
        long[] sum = {contributions[self]};
        recordTogether(8, () -> either(reducing).allReduce(sum, Long::sum));
        long[] most = {contributions[self]};
        recordTogether(9, () -> either(reducing).reduce(root, most, Math::max));
        if (Arrays.stream(words).anyMatch(word -> word < round)) {
            return "BARRIER ends before what was written has arrived: round=" + round + " words="
                    + Arrays.toString(words);
        }
        if (sum[0] != Arrays.stream(contributions).sum()) {
            return "EXCHANGE brings a wrong sum: round=" + round + " sum=" + sum[0] + " of="
                    + Arrays.toString(contributions);
        }
        if (self == root && most[0] != Arrays.stream(contributions).max().orElseThrow()) {
            return "EXCHANGE brings a wrong maximum: round=" + round + " maximum=" + most[0] + " of="
                    + Arrays.toString(contributions);
        }
        return "";
    }

    /** Nobody else uses the map; what is staged may be sent with the next flush. */
    private void insert() throws Exception {
        for (int count = 0; count < INSERTED; count++) {
            long key = value();
            if (record(Verb.OPEN, 4, key, 0, () -> bit(takes(key))) == 0) {
                return;
            }
            (flushIsOpen ? insertedSince : inserted).add(key);
        }
    }

    private void flush() throws Exception {
        flushed = false;
        try {
            recordTogether(3, () -> opened(buffer).flush());
            flushIsOpen = false;
            flushed = true;
        } catch (SegmentFullException | TableFullException full) {
            flushIsOpen = false; // what has no room is kept for the next one
        } catch (InterruptedException interruption) {
            flushIsOpen = true;
            throw interruption;
        }
    }

    /** False if so much is staged that the next flush must come first, or a rank has no room. */
    private boolean takes(long key) {
        try {
            opened(buffer).insert(key, key);
            return true;
        } catch (SegmentFullException | TableFullException full) {
            return false;
        } catch (IllegalStateException full) {
            if (scene.isLeaving() || !String.valueOf(full.getMessage()).startsWith("flush")) {
                throw full;
            }
            return false;
        }
    }

    /** All have flushed. */
    private void find() throws Exception {
        for (long key : inserted) {
            long found = record(Verb.OPEN, 5, key, 0, () -> orAbsent(either(maps).find(key)));
            if (found != key) {
                find("BUFFER has lost what was inserted before all flushed: key=" + key + " found=" + found + " round="
                        + round);
            }
        }
        inserted.clear();
        inserted.addAll(insertedSince);
        insertedSince.clear();
    }

    private interface Collective {
        void call() throws InterruptedException;
    }

    /** Who waits for others that do something else gives up in time: they could wait for it. */
    private void recordTogether(long key, Collective collective) throws Exception {
        record(Verb.OPEN, key, round, phase, () -> {
            Thread self = Thread.currentThread();
            ScheduledFuture<?> watch = WATCH.schedule(self::interrupt,
                    TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS) + random.nextInt(2000), TimeUnit.MILLISECONDS);
            try {
                collective.call();
                return 0;
            } finally {
                watch.cancel(false);
                Thread.interrupted();
            }
        });
    }
}
