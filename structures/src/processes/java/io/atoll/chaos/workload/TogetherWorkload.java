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
 * The collective work of all ranks, in rounds: exchanges, barriers, a {@link FastQueue} in phases, and a
 * {@link HashMapBuffer}. Each step is an exchange that tells every rank how far the others are. If all are equally far,
 * they take the next phase; otherwise all begin another round. So a rank that failed in a phase or was restarted never
 * lets the others wait for good. The results of a round's phases are judged when all ranks have said that they have
 * passed them.
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

    // Keys that are not known to be in the map. The next flush that ends brings them there.
    private final List<Long> inserted = new ArrayList<>();
    // Keys inserted since a flush was interrupted. That flush is called again first, and brings only the earlier keys.
    private final List<Long> insertedSince = new ArrayList<>();
    private List<Exchange> exchanges = List.of();
    // These are apart from the other exchanges. A rank that has failed in one of them goes on with it, while other
    // ranks are still in the exchanges above.
    private List<Exchange> reducing = List.of();
    private List<FastQueue<Long>> queues = List.of();
    private List<DistributedMap<Long, Long>> maps = List.of();
    private @Nullable HashMapBuffer<Long, Long> buffer;
    // True if the last flush was interrupted.
    private boolean flushIsOpen;
    // True if all keys were in the map with the last flush.
    private boolean flushed;
    private long round;
    private long phase;
    // True if the last step ended the round.
    private boolean roundEnded;
    private @Nullable LongArray written;
    // The contributions to the last exchange.
    private long[] contributions = {};
    // The fault in the results of the last phase, if all have passed that phase.
    private String wrong = "";

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
        // This is larger than the round of any life before, even if all ranks were restarted.
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
        // The phase counts as failed until it passes.
        phase = FAILED;
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

    /** Returns true after a whole round. */
    @Override
    protected boolean hasSucceeded() {
        return roundEnded;
    }

    /** A rank that its watch has interrupted has left its operation, and the others are told. */
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
                    // Skips what a failed round has left.
                    Thread.onSpinWait();
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

    /** Returns what is wrong, given that all ranks take part in the same exchange. */
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

    /** Only this workload uses the map. Collected entries may be sent with the next flush. */
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
            // Entries without room are kept for the next flush.
            flushIsOpen = false;
        } catch (InterruptedException interruption) {
            flushIsOpen = true;
            throw interruption;
        }
    }

    /** Returns false if the next flush must come first because too much is collected, or if a rank has no room. */
    private boolean takes(long key) {
        try {
            opened(buffer).putIfAbsent(key, key);
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

    /** Checks the keys after all ranks have flushed. */
    private void find() throws Exception {
        for (long key : inserted) {
            long found = record(Verb.OPEN, 5, key, 0, () -> orAbsent(either(maps).get(key)));
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

    /** A rank that waits for ranks which do something else gives up in time. They might be waiting for it. */
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
