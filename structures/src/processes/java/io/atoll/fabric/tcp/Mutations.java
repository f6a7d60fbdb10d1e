package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.tcp.ExpectedAnswers.Answer;
import io.atoll.fabric.tcp.ListeningProgram.Door;
import io.atoll.process.ChildProcess;
import io.atoll.process.ProcessFigures;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Mutates frames and handshakes at random, and sends them to a process that listens:
 * {@code mvn -q -DskipTests -Pmutations -pl structures test}. The seed and the number of a mutation determine it. The
 * process must answer every request as {@link ExpectedAnswers} says, must end every connection soon, and must let ranks
 * in as before. Afterwards it must have as many threads, descriptors and bytes as before. Ends with status 1 otherwise.
 *
 * <p>These properties control it:
 * <ul>
 * <li>{@code -Dmutations.count=1000000}: the number of mutations
 * <li>{@code -Dmutations.seconds=20}: the time limit
 * <li>{@code -Dmutations.seed=1}: the seed
 * <li>{@code -Dmutations.first=80000}: the number of the first mutation, a multiple of {@value #CONVERSATION}
 * </ul>
 */
final class Mutations {

    private static final int CONNECTIONS = 6; // at a time
    private static final int FIRST_LANE = 40; // of conversations; mutated handshakes ask for another lane
    private static final int LOOKING_LANE = FIRST_LANE + CONNECTIONS;
    private static final int CONVERSATION = 16; // mutations of frames that may follow each other on a connection
    private static final int HANDSHAKE_ROUNDS = 5; // handshakes are mutated in one of this many rounds
    private static final int ROUND = 2_000; // mutations between two checks
    private static final int MOST_TRIES = 5; // to be let in
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int ENCRYPTED_OF_1000 = 4; // a listener takes 50 TLS handshakes a second
    private static final int SECRET_OF_100 = 20; // it takes hashes
    private static final long MOST_HEAP_BYTES = 512 << 10; // more than before: caches of the JDK grow a little
    private static final long MOST_NATIVE_BYTES = 512 << 10;
    private static final long REST_SECONDS = 60;

    private final long seed;
    private final int round;
    private final int timeoutMillis;
    private final ChildProcess process;
    private final int[] ports;
    private final Encryption encryption = Encryption.create();
    private final LongAdder connected = new LongAdder();
    private final LongAdder refused = new LongAdder(); // with a reason
    private final LongAdder closed = new LongAdder(); // without a reason
    private final LongAdder answered = new LongAdder(); // requests
    private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();

    /**
     * @param round the number of mutations between two checks
     * @param timeoutMillis how long a connection may be silent
     * @param process runs a {@link ListeningProgram}
     */
    Mutations(long seed, int round, int timeoutMillis, ChildProcess process, Path folder) {
        this.seed = seed;
        this.round = round;
        this.timeoutMillis = timeoutMillis;
        this.process = process;
        this.ports = Stream.of(process.ask("listen " + folder).split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    public static void main(String[] arguments) throws Exception {
        long count = number("mutations.count", 1_000_000);
        long seconds = number("mutations.seconds", Long.MAX_VALUE);
        long seed = number("mutations.seed", System.nanoTime() % 1_000_000);
        long first = number("mutations.first", 0);
        Path folder = Files.createTempDirectory("atoll-mutations");
        try (ChildProcess process = ChildProcess.start(ListeningProgram.class, ProcessFigures.OPTION)) {
            List<String> findings = new Mutations(seed, ROUND, TIMEOUT_MILLIS, process, folder)
                    .find(first, count, seconds);
            findings.forEach(finding -> IO.println("FINDING seed=" + seed + " " + finding));
            System.exit(findings.isEmpty() ? 0 : 1);
        } finally {
            delete(folder);
        }
    }

    /** Sends mutations to the process, and ends it. Returns a description of each fault that it has shown. */
    List<String> find(long first, long count, long seconds) throws Exception {
        run(first, count, seconds);
        process.end();
        process.remarks()
                .stream()
                .filter(line -> line.contains("Exception") && !line.contains("MalformedFrameException")
                        && !line.contains("SSL") || line.contains("Error"))
                .forEach(findings::add);
        return List.copyOf(findings);
    }

    private static long number(String property, long otherwise) {
        String told = System.getProperty(property, "");
        return told.isEmpty() ? otherwise : Long.parseLong(told);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void run(long first, long count, long seconds) throws Exception {
        for (int warmUp = 1; warmUp <= HANDSHAKE_ROUNDS; warmUp++) {
            play(-(long) warmUp * round, round);
        }
        if (!findings.isEmpty()) {
            return;
        }
        look(-1);
        ProcessFigures before = ProcessFigures.of(process);
        connected.reset();
        refused.reset();
        closed.reset();
        answered.reset();
        long begun = System.nanoTime();
        long end = first + count;
        long next = first;
        while (next < end && findings.isEmpty()
                && TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) < seconds) {
            play(next, (int) Math.min(round, end - next));
            next = Math.min(end, next + round);
            look(next);
        }
        double took = (System.nanoTime() - begun) / 1e9;
        ProcessFigures after = figuresAtRest(before);
        compare(before, after);
        IO.println(
                ("mutations: seed=%d from=%d to=%d in %.1f s by %d connections; requests answered=%d; connections that"
                        + " were told why they end=%d, told nothing=%d%n  before %s%n  after  %s")
                        .formatted(seed, first, next, took, connected.sum(), answered.sum(), refused.sum(),
                                closed.sum(), before, after));
    }

    /** Waits for the process to rest: threads of the last connections end a little later than the connections. */
    private ProcessFigures figuresAtRest(ProcessFigures before) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(findings.isEmpty() ? REST_SECONDS : 0);
        ProcessFigures after = ProcessFigures.of(process);
        while ((after.threads() > before.threads() || after.descriptors() > before.descriptors())
                && System.nanoTime() < deadline) {
            Thread.sleep(100);
            after = ProcessFigures.of(process);
        }
        return after;
    }

    private void compare(ProcessFigures before, ProcessFigures after) {
        expectAtMost("threads", after.threads(), before.threads());
        expectAtMost("descriptors", after.descriptors(), before.descriptors());
        expectAtMost("direct memory", after.directBytes(), before.directBytes());
        expectAtMost("heap", after.heapBytes(), before.heapBytes() + MOST_HEAP_BYTES);
        expectAtMost("native memory", after.nativeBytes(), before.nativeBytes() + MOST_NATIVE_BYTES);
    }

    private void expectAtMost(String what, long found, long most) {
        if (found > most) {
            findings.add("more is left than there was before: what=" + what + " found=" + found + " most=" + most);
        }
    }

    /** A mutated handshake may take the place of another connection, so mutated frames have rounds of their own. */
    private void play(long first, int count) throws InterruptedException {
        boolean ofHandshakes = Math.floorMod(Math.floorDiv(first, (long) round), HANDSHAKE_ROUNDS) == 0;
        AtomicLong next = new AtomicLong(first);
        List<Thread> threads = new ArrayList<>();
        for (int connection = 0; connection < CONNECTIONS; connection++) {
            int lane = FIRST_LANE + connection;
            threads.add(Thread.ofPlatform().start(() -> play(next, first + count, ofHandshakes, lane)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void play(AtomicLong next, long end, boolean ofHandshakes, int lane) {
        for (long number = next.getAndAdd(CONVERSATION); number < end && findings.isEmpty(); number = next
                .getAndAdd(CONVERSATION)) {
            long behind = Math.min(end, number + CONVERSATION);
            try {
                if (ofHandshakes) {
                    for (long each = number; each < behind && findings.isEmpty(); each++) {
                        handshake(each);
                    }
                } else {
                    converse(number, behind, lane);
                }
            } catch (IOException | RuntimeException failure) {
                findings.add("number=" + number + " " + failure);
                return;
            }
        }
    }

    /** Checks that a rank is let in and served as before. */
    private void look(long number) {
        process.ask("repair");
        try (Socket socket = connect(Door.OPEN, 0)) {
            byte[] frames = MutatedBytes.frames(new SplittableRandom(number), 1);
            socket.getOutputStream().write(MutatedBytes.whole(request(Door.OPEN, LOOKING_LANE), frames));
            if (!isLetIn(Door.OPEN, socket.getInputStream())) {
                findings.add("a rank is not let in any more: number=" + number);
            } else if (socket.getInputStream().readNBytes(Frame.HEADER_BYTES).length < Frame.HEADER_BYTES) {
                findings.add("a rank is not answered any more: number=" + number);
            }
        } catch (IOException failure) {
            findings.add("a rank cannot connect any more, or is not answered: number=" + number + " " + failure);
        }
    }

    private SplittableRandom random(long number) {
        return new SplittableRandom(seed * 31 + number);
    }

    // --- frames ---

    /** Sends mutations of frames, by the same connection as long as the owner does not have to end it. */
    private void converse(long first, long end, int lane) throws IOException {
        SplittableRandom random = random(first);
        long number = first;
        while (number < end && findings.isEmpty()) {
            long begin = number;
            byte[] bytes = {};
            ExpectedAnswers expected = new ExpectedAnswers(ListeningProgram.SEGMENT_BYTES);
            for (; number < end && expected.goesOn(); number++) {
                byte[] more = MutatedBytes.mutatedFrames(random(number), expected.lastNumber() + 1);
                expected.add(more);
                bytes = MutatedBytes.whole(bytes, more);
            }
            Door door = random.nextInt(100) < SECRET_OF_100 ? Door.SECRET : Door.OPEN;
            converse(door, lane, begin, bytes, expected, random);
        }
    }

    private void converse(Door door, int lane, long number, byte[] bytes, ExpectedAnswers expected,
            SplittableRandom random) throws IOException {
        for (int attempt = 1;; attempt++) {
            try (Socket socket = connect(door, number)) {
                byte[] request = request(door, lane);
                if (door == Door.SECRET) {
                    send(socket, random, MutatedBytes.whole(proofs(socket, request), bytes));
                } else {
                    send(socket, random, MutatedBytes.whole(request, bytes));
                }
                if (!expected.isMalformed()) {
                    socket.shutdownOutput(); // otherwise the owner must end the connection by itself
                }
                InputStream in = new BufferedInputStream(socket.getInputStream());
                if (isLetIn(door, in)) {
                    expect(in, expected, number);
                    return;
                }
                refused.increment();
            } catch (SocketTimeoutException silence) {
                findings.add("a connection does not end: number=" + number);
                return;
            } catch (SocketException reset) {
                closed.increment();
                if (expected.isMalformed()) {
                    return; // earlier answers of the owner may be lost with the connection
                }
            }
            if (attempt == MOST_TRIES) {
                findings.add("a rank is not let in, or not answered: number=" + number);
                return;
            }
            process.ask("repair"); // a write has marked the rank as shut out
        }
    }

    private void expect(InputStream in, ExpectedAnswers expected, long number) throws IOException {
        for (Set<Answer> possible : expected.answers()) {
            byte[] header = in.readNBytes(Frame.HEADER_BYTES);
            if (header.length < Frame.HEADER_BYTES && expected.isMalformed()) {
                closed.increment();
                return;
            }
            if (header.length < Frame.HEADER_BYTES) {
                findings.add("an answer is missing: number=" + number + " expected=" + possible);
                return;
            }
            ByteBuffer words = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
            Answer found = new Answer(words.getInt((int) Frame.BYTES), words.getShort((int) Frame.STATUS),
                    words.getLong((int) Frame.NUMBER));
            if (!possible.contains(found) || words.getShort((int) Frame.FLAGS) != 0) {
                findings.add("another answer: number=" + number + " expected=" + possible + " found=" + found);
                return;
            }
            in.skipNBytes(found.bytes() - Frame.HEADER_BYTES);
            answered.increment();
        }
        if (in.read() >= 0) {
            findings.add("more answers than requests: number=" + number + " expected=" + expected.answers());
        }
        closed.increment();
    }

    // --- handshakes ---

    private void handshake(long number) throws IOException {
        SplittableRandom random = random(number);
        Door door = random.nextInt(1000) < ENCRYPTED_OF_1000
                ? Door.ENCRYPTED
                : random.nextInt(3) == 0 ? Door.SECRET : Door.OPEN;
        try (Socket socket = connect(door, number)) {
            byte[] request = request(door, 0);
            byte[] frames = MutatedBytes.frames(random, 1);
            send(socket, random, switch (door) {
                case OPEN -> MutatedBytes.whole(MutatedBytes.mutated(random, request), frames);
                case SECRET -> random.nextInt(4) == 0
                        ? MutatedBytes.whole(MutatedBytes.mutated(random, proofs(socket, request)), frames)
                        : MutatedBytes.mutated(random, request);
                case ENCRYPTED -> MutatedBytes.whole(
                        Arrays.copyOf(request, (int) TcpHandshake.PREAMBLE.byteSize()),
                        MutatedBytes.mutated(random, clientHello()));
            });
            socket.shutdownOutput();
            note(socket.getInputStream().readAllBytes());
        } catch (SocketTimeoutException silence) {
            findings.add("a connection does not end: number=" + number);
        } catch (SocketException reset) {
            closed.increment();
        }
    }

    private void note(byte[] answer) {
        if (answer.length == 0) {
            closed.increment();
        } else if (answer.length <= TcpHandshake.ANSWER.byteSize()) {
            refused.increment();
        } else {
            answered.increment();
        }
    }

    private byte[] clientHello() throws SSLException {
        SSLEngine engine = encryption.engine(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    private static byte[] request(Door door, int lane) {
        ConnectRequest connectRequest = new ConnectRequest(door.world(), ListeningProgram.CALLER,
                ListeningProgram.OWNER, 1, 1, lane, 0);
        try (Arena arena = Arena.ofConfined()) {
            return MutatedBytes.whole(TcpHandshake.preamble(door.security.encrypts(), arena).toArray(JAVA_BYTE),
                    TcpHandshake.hello(connectRequest, !door.security.secrets().isEmpty(), arena).toArray(JAVA_BYTE));
        }
    }

    /** Makes the handshake, and returns the proofs that the owner asks for. */
    private static byte[] proofs(Socket socket, byte[] request) throws IOException {
        byte[] hello = Arrays.copyOfRange(request, (int) TcpHandshake.PREAMBLE.byteSize(), request.length);
        socket.getOutputStream().write(request);
        byte[] challenge = socket.getInputStream().readNBytes((int) TcpHandshake.CHALLENGE.byteSize());
        Keys keys = Keys.of(Door.SECRET.security.secrets(), "tcp", Door.SECRET.world());
        return keys.proofs(Keys.CALLER, hello, challenge, new byte[0]);
    }

    /** Reads the owner's answer and its proof. */
    private static boolean isLetIn(Door door, InputStream in) throws IOException {
        byte[] answer = in.readNBytes((int) TcpHandshake.ANSWER.byteSize());
        long[] words = new long[answer.length / Long.BYTES];
        ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()).asLongBuffer().get(words);
        if (!TcpHandshake.isAccepted(MemorySegment.ofArray(words))) {
            return false;
        }
        int proofBytes = door == Door.SECRET ? Keys.PROOF_BYTES : 0;
        return in.readNBytes(proofBytes).length == proofBytes;
    }

    // --- connections ---

    private Socket connect(Door door, long number) throws IOException {
        connected.increment();
        Socket socket = new Socket();
        socket.setSoTimeout(timeoutMillis);
        socket.setTcpNoDelay(true);
        // Uses many addresses, so that there are ports for all connections. Ends each one by a reset, so that no port
        // stays in use.
        socket.setSoLinger(true, 0);
        int address = (int) Math.floorMod(number, 250L * 250);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(
                new byte[]{127, 0, (byte) (address / 250), (byte) (1 + address % 250)}), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", ports[door.ordinal()]), timeoutMillis);
        return socket;
    }

    /** Sends the bytes at once or in pieces. */
    private static void send(Socket socket, SplittableRandom random, byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        int at = 0;
        for (int pieces = random.nextInt(3); pieces > 0 && at < bytes.length; pieces--) {
            int length = 1 + random.nextInt(bytes.length - at);
            out.write(bytes, at, length);
            at += length;
        }
        out.write(bytes, at, bytes.length - at);
    }
}
