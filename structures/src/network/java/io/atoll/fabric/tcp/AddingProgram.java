package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.process.Program;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A rank in a process of its own. As a caller it keeps adding 1 to words of the owner's segment. Each of its threads
 * has {@value #WORDS} words. There are platform and virtual threads; some add to one word at a time, others to all
 * words in a batch. Each thread knows what it must find in its words, and reports anything else.
 *
 * <p>A mapped file records which additions were begun and which were acknowledged, so that the record outlives the
 * process.
 */
final class AddingProgram implements Program {

    static final WorldIdentity WORLD = new WorldIdentity("tcp-adding", 2);
    static final int OWNER = 1;
    static final int THREADS = 4;
    static final int WORDS = 64;

    /** The size of the mapped file. It has two counters for each word: the additions begun, and those acknowledged. */
    static final long LEDGER_BYTES = 2L * THREADS * WORDS * Long.BYTES;

    private static final Secret SECRET = Secret.of("a secret of the two ranks that add to words");
    private static final long FIRST = SegmentHeader.size(WORLD.maxSize());
    private static final long SEGMENT_BYTES = 64 << 10;
    private static final long UNKNOWN = -1;
    private static final Duration PROOF_TIMEOUT = Duration.ofSeconds(60);
    private static final int FEWEST_NODES = 1 << 20;
    private static final int MOST_NODES = 1 << 23;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int UNDOING_VERBS = 3;
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Arena arena = Arena.ofShared();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLongArray acknowledged = new AtomicLongArray(THREADS); // operations
    private final AtomicLongArray failures = new AtomicLongArray(THREADS);
    private final AtomicLongArray sinceNanos = new AtomicLongArray(THREADS); // when the last operation began
    // The last element: how late this process was.
    private final AtomicLongArray longestNanos = new AtomicLongArray(THREADS + 1);
    private @Nullable Attachment attachment;
    private MemorySegment ledger = MemorySegment.NULL;
    private volatile boolean isOver;
    private volatile @Nullable String wrong;
    private volatile String lastFailure = "none";

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "attach" -> attach(Path.of(arguments.get(0)), number(arguments, 1), arguments.get(2),
                    number(arguments, 3), Duration.ofMillis(number(arguments, 4)), number(arguments, 5),
                    Boolean.parseBoolean(arguments.get(6)));
            case "connect" -> connect(number(arguments, 0), number(arguments, 1), arguments.get(2), arguments.get(3));
            case "add" -> add(Path.of(arguments.getFirst()));
            case "figures" -> figures();
            case "failure" -> lastFailure;
            case "rest" -> rest();
            case "words" -> words();
            case "collect" -> collect(number(arguments, 0));
            case "fence" -> fence(number(arguments, 0));
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private static int number(List<String> arguments, int index) {
        return Integer.parseInt(arguments.get(index));
    }

    private Attachment attachment() {
        if (attachment == null) {
            throw new IllegalStateException("attach first");
        }
        return attachment;
    }

    /** @param mostThreads how many connections have threads of their own */
    private String attach(Path folder, int rank, String bind, int port, Duration silenceTimeout, int mostThreads,
            boolean encrypts) {
        Tcp settings = new Tcp(new SharedMemory(folder, true)).withoutSharedMemory()
                .bind(bind, port)
                .security(encrypts ? Security.secret(SECRET) : Security.none())
                .silenceTimeout(silenceTimeout);
        attachment = Looped.attach(settings, WORLD, rank, SEGMENT_BYTES, mostThreads);
        Map<String, String> address = attachment.address();
        return attachment.incarnation() + " " + address.get("tcp.host") + " " + address.get("tcp.port");
    }

    private String connect(int rank, int incarnation, String host, String port) {
        Map<String, String> address = Map.of("tcp.host", host, "tcp.port", port);
        // With a secret the rank first proves itself, which another thread asks for.
        await().atMost(PROOF_TIMEOUT).until(() -> attachment().proof(rank, incarnation, address).isGiven());
        attachment().connect(rank, incarnation, address);
        return "connected";
    }

    private String add(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ledger = channel.map(MapMode.READ_WRITE, 0, LEDGER_BYTES, arena);
        }
        Fabric fabric = attachment().fabric();
        for (int thread = 0; thread < THREADS; thread++) {
            int own = thread;
            Thread.Builder builder = thread < THREADS / 2 ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
            threads.add(builder.start(() -> addAllTheTime(fabric, own)));
        }
        threads.add(Thread.ofPlatform().daemon().start(this::watchTheMachine));
        return "adding";
    }

    private void addAllTheTime(Fabric fabric, int thread) {
        long[] found = new long[WORDS];
        long[] doubted = new long[WORDS]; // additions since the last result that may have been made
        Arrays.fill(found, UNKNOWN);
        boolean inBatches = thread % 2 == 1;
        Batch batch = fabric.newBatch(WORDS);
        for (int next = 0; !isOver; next = (next + 1) % WORDS) {
            int first = inBatches ? 0 : next;
            int last = inBatches ? WORDS - 1 : next;
            long beganNanos = System.nanoTime();
            sinceNanos.set(thread, beganNanos);
            note(thread, first, last, 0);
            try {
                if (inBatches) {
                    addToAll(batch, thread, found, doubted);
                } else {
                    judge(thread, next, fabric.getAndAdd(OWNER, offset(thread, next), 1), found, doubted);
                }
                note(thread, first, last, 1);
                acknowledged.incrementAndGet(thread);
            } catch (RankUnreachableException broken) {
                for (int word = first; word <= last; word++) {
                    doubted[word]++;
                }
                failures.incrementAndGet(thread);
                lastFailure = String.valueOf(broken.getMessage());
                undo(fabric, thread, next);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            noteLongest(thread, System.nanoTime() - beganNanos);
        }
    }

    /**
     * Behaves like a structure whose operation has failed in the middle: it keeps calling the rank, regardless of the
     * failures.
     */
    private void undo(Fabric fabric, int thread, int word) {
        for (int verb = 0; verb < UNDOING_VERBS; verb++) {
            try {
                fabric.readWord(OWNER, offset(thread, word));
            } catch (RankUnreachableException stillBroken) {
                lastFailure = String.valueOf(stillBroken.getMessage());
            }
        }
    }

    private static long offset(int thread, int word) {
        return FIRST + ((long) thread * WORDS + word) * Long.BYTES;
    }

    private void addToAll(Batch batch, int thread, long[] found, long[] doubted) {
        int[] indices = new int[WORDS];
        for (int word = 0; word < WORDS; word++) {
            indices[word] = batch.getAndAdd(OWNER, offset(thread, word), 1);
        }
        batch.complete();
        for (int word = 0; word < WORDS; word++) {
            judge(thread, word, batch.result(indices[word]), found, doubted);
        }
    }

    /**
     * Checks the result of an addition. It must contain each earlier addition of this thread once, and each doubtful
     * one at most once.
     */
    private void judge(int thread, int word, long result, long[] found, long[] doubted) {
        long least = found[word] + 1;
        if (found[word] != UNKNOWN && (result < least || result > least + doubted[word])) {
            wrong = "thread=" + thread + " word=" + word + " found=" + result + " least=" + least + " doubted="
                    + doubted[word];
        }
        found[word] = result;
        doubted[word] = 0;
    }

    /** @param column 0 for additions begun, 1 for additions acknowledged */
    private void note(int thread, int first, int last, int column) {
        for (int word = first; word <= last; word++) {
            long at = 2L * (thread * WORDS + word) + column;
            ledger.setAtIndex(JAVA_LONG, at, ledger.getAtIndex(JAVA_LONG, at) + 1);
        }
    }

    private void noteLongest(int thread, long nanos) {
        longestNanos.accumulateAndGet(thread, nanos, Math::max);
    }

    /** Returns how long the present operation has been under way, or 0 if the threads have ended. */
    private long underWayNanos(int thread) {
        long since = sinceNanos.get(thread);
        return isOver || since == 0 ? 0 : System.nanoTime() - since;
    }

    /** Measures how late an idle thread of this process is: a busy machine makes all threads late. */
    private void watchTheMachine() {
        while (!isOver) {
            long beganNanos = System.nanoTime();
            LockSupport.parkNanos(STALL_NANOS);
            noteLongest(THREADS, System.nanoTime() - beganNanos - STALL_NANOS);
        }
    }

    private String figures() {
        StringJoiner figures = new StringJoiner(" ");
        for (int thread = 0; thread < THREADS; thread++) {
            figures.add("" + acknowledged.get(thread)).add("" + failures.get(thread));
        }
        long longest = 0;
        for (int thread = 0; thread < THREADS; thread++) {
            noteLongest(thread, underWayNanos(thread));
            longest = Math.max(longest, longestNanos.get(thread));
        }
        figures.add("" + TimeUnit.NANOSECONDS.toMillis(longest));
        figures.add("" + TimeUnit.NANOSECONDS.toMillis(longestNanos.get(THREADS)));
        figures.add("" + attachment().connections().orElseThrow().traffic().unknownOutcomes());
        return figures.add(wrong == null ? "right" : "wrong: " + wrong).toString();
    }

    private String rest() throws InterruptedException {
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return figures();
    }

    private String words() {
        StringJoiner words = new StringJoiner(" ");
        for (int thread = 0; thread < THREADS; thread++) {
            for (int word = 0; word < WORDS; word++) {
                words.add("" + attachment().fabric().local().getVolatile(offset(thread, word)));
            }
        }
        return words.toString();
    }

    /** An object on the heap that another one refers to. */
    private record Node(@Nullable Node next) {}

    /**
     * Collects the whole heap with more and more objects in it, until a collection takes the given time. A slow machine
     * needs fewer objects.
     *
     * @return the milliseconds of the last collection, in which the process does nothing else
     */
    private static String collect(long leastMillis) {
        Node kept = null;
        long tookMillis = 0;
        for (int more = FEWEST_NODES; tookMillis < leastMillis && more <= MOST_NODES; more *= 2) {
            for (int node = 0; node < more; node++) {
                kept = new Node(kept);
            }
            long before = collectedMillis();
            System.gc();
            tookMillis = collectedMillis() - before;
        }
        Reference.reachabilityFence(kept);
        return "" + tookMillis;
    }

    private static long collectedMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans()
                .stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Fences the rank, and returns the words as they are at that moment. */
    private String fence(int rank) {
        attachment().fence(rank);
        return words();
    }

    @Override
    public void close() {
        isOver = true;
        if (attachment != null) {
            attachment.close();
        }
    }
}
