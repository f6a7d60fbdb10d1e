package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Two processes: rank 0 keeps adding to words of rank 1. This class checks what must hold in spite of any failure. */
final class AddingRanks implements AutoCloseable {

    /** The figures of a process of the caller so far. */
    record Figures(long[] acknowledged, long[] failures, long longestMillis, long stallMillis,
            long unknownOutcomes, String verdict) {

        private static Figures of(String line) {
            String[] words = line.split(" ", 2 * AddingProgram.THREADS + 4);
            long[] numbers = Stream.of(words).limit(words.length - 1L).mapToLong(Long::parseLong).toArray();
            int threads = AddingProgram.THREADS;
            return new Figures(IntStream.range(0, threads).mapToLong(thread -> numbers[2 * thread]).toArray(),
                    IntStream.range(0, threads).mapToLong(thread -> numbers[2 * thread + 1]).toArray(),
                    numbers[2 * threads], numbers[2 * threads + 1], numbers[2 * threads + 2],
                    words[words.length - 1]);
        }

        long allFailures() {
            return IntStream.range(0, failures.length).mapToLong(thread -> failures[thread]).sum();
        }
    }

    static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PROGRESS = 20;
    private static final String HEAP = "-Xmx512m"; // large enough for a long collection

    /** The place of the processes, and the way from the caller to the owner. */
    interface Place {

        /** Returns the words that precede the command of a rank's process. */
        List<String> within(int rank);

        /** Returns the address at which a rank listens. */
        String bind(int rank);

        /** Returns where the caller reaches the owner, which listens at this port. */
        List<String> wayTo(String host, int port) throws IOException;

        /** Returns how many connections the owner serves by threads of their own. */
        default int mostThreads() {
            return Listener.MOST_THREADS;
        }

        default boolean encrypts() {
            return false;
        }

        /** Returns a folder of classes that the processes use instead of those of the project, or null. */
        default @Nullable Path classes() {
            return null;
        }
    }

    private final Place place;
    private final Path folder;
    private final Duration silenceTimeout;
    private final Path ledger;
    private final ChildProcess[] processes = new ChildProcess[2];
    private final int[] incarnations = new int[2];
    private final String[] hosts = new String[2];
    private final int[] ports = new int[2];
    private boolean callerWasKilled;

    AddingRanks(Place place, Path folder) throws IOException {
        this(place, folder, SILENCE_TIMEOUT);
    }

    AddingRanks(Place place, Path folder, Duration silenceTimeout) throws IOException {
        this.place = place;
        this.silenceTimeout = silenceTimeout;
        this.folder = folder;
        this.ledger = folder.resolve("ledger");
        boolean begun = false;
        try {
            begin();
            begun = true;
        } finally {
            if (!begun) {
                close();
            }
        }
    }

    private void begin() throws IOException {
        for (int rank = 0; rank < processes.length; rank++) {
            Files.createDirectories(folder(rank)); // separate, so that no rank sees the other's lock
            attach(rank);
        }
        meet();
        processes[0].ask("add " + ledger);
    }

    private Path folder(int rank) {
        return folder.resolve("rank-" + rank);
    }

    private void attach(int rank) {
        Path classes = place.classes();
        processes[rank] = classes == null
                ? ChildProcess.start(place.within(rank), AddingProgram.class, HEAP)
                : ChildProcess.startWith(classes, AddingProgram.class, HEAP);
        int portOfRankZero = ports[rank] == 0 ? 0 : ports[rank] - rank;
        String[] words = processes[rank].ask("attach " + folder(rank) + " " + rank + " " + place.bind(rank) + " "
                + portOfRankZero + " " + silenceTimeout.toMillis() + " " + place.mostThreads() + " "
                + place.encrypts()).split(" ");
        incarnations[rank] = Integer.parseInt(words[0]);
        hosts[rank] = words[1];
        ports[rank] = Integer.parseInt(words[2]);
    }

    private void meet() throws IOException {
        processes[1].ask("connect 0 " + incarnations[0] + " " + hosts[0] + " " + ports[0]);
        processes[0].ask("connect 1 " + incarnations[1] + " " + String.join(" ", place.wayTo(hosts[1], ports[1])));
    }

    ChildProcess caller() {
        return processes[0];
    }

    ChildProcess owner() {
        return processes[1];
    }

    /** Kills a rank, and starts it again at the same address. */
    void restart(int rank) throws IOException {
        processes[rank].kill();
        attach(rank);
        meet();
        if (rank == 0) {
            callerWasKilled = true; // the former process's counts are unknown
            processes[0].ask("add " + ledger);
        }
    }

    Figures figures() {
        return Figures.of(caller().ask("figures"));
    }

    /** Waits until each thread has received some more answers. */
    void awaitProgress() {
        long[] before = figures().acknowledged;
        await().atMost(PATIENCE).untilAsserted(() -> {
            long[] now = figures().acknowledged;
            assertThat(IntStream.range(0, now.length))
                    .as("acknowledged before=%s now=%s lastFailure=[%s]", Arrays.toString(before),
                            Arrays.toString(now), caller().ask("failure"))
                    .allMatch(thread -> now[thread] >= before[thread] + PROGRESS);
        });
    }

    /** Waits until each thread has received another failure. */
    void awaitFailures() {
        long[] before = figures().failures;
        await().atMost(PATIENCE).until(() -> {
            long[] now = figures().failures;
            return IntStream.range(0, now.length).allMatch(thread -> now[thread] > before[thread]);
        });
    }

    long[] words() {
        return numbers(owner().ask("words"));
    }

    /** Fences the caller at the owner, and returns the words as they are at that moment. */
    long[] fence() {
        return numbers(owner().ask("fence 0"));
    }

    private static long[] numbers(String line) {
        return Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /** Checks that no operation takes longer than the silence timeout and a second, plus the delays of this machine. */
    void assertAllWereToldInTime() {
        Figures figures = figures();
        assertThat(figures.longestMillis).as("stall=%d ms", figures.stallMillis)
                .isLessThanOrEqualTo(silenceTimeout.toMillis() + 1000 + 5 * figures.stallMillis);
    }

    /** Ends the threads. Checks that each acknowledged addition is there once, and each other one at most once. */
    void assertSumsAreRight() throws IOException {
        Figures figures = Figures.of(caller().ask("rest"));
        assertThat(figures.verdict).isEqualTo("right");
        long[] words = words();
        assertSumsAreRight(words);
        if (!callerWasKilled) {
            assertThat(doubtedFrames(words)).as("requests that were executed and not acknowledged")
                    .isLessThanOrEqualTo(figures.unknownOutcomes);
        }
    }

    /** Every second thread adds to all its words by one request. */
    private long doubtedFrames(long[] words) throws IOException {
        long doubted = 0;
        for (int thread = 0; thread < AddingProgram.THREADS; thread++) {
            long most = 0;
            long sum = 0;
            for (int own = 0; own < AddingProgram.WORDS; own++) {
                int word = thread * AddingProgram.WORDS + own;
                long extra = words[word] - noted(word, 1);
                most = Math.max(most, extra);
                sum += extra;
            }
            doubted += thread % 2 == 1 ? most : sum;
        }
        return doubted;
    }

    /** @param column 0 for additions begun, 1 for additions acknowledged */
    private long noted(int word, int column) throws IOException {
        try (FileChannel channel = FileChannel.open(ledger, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            channel.read(bytes, (2L * word + column) * Long.BYTES);
            return bytes.flip().getLong();
        }
    }

    void assertSumsAreRight(long[] words) throws IOException {
        for (int word = 0; word < words.length; word++) {
            assertThat(words[word]).as("word=%d", word).isBetween(noted(word, 1), noted(word, 0));
        }
    }

    @Override
    public void close() {
        for (ChildProcess process : processes) {
            if (process != null) {
                process.kill();
            }
        }
    }
}
