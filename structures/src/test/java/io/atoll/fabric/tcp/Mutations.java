package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Request;
import io.atoll.fabric.tcp.ListeningProgram.Door;
import io.atoll.memory.SegmentHeader;
import io.atoll.process.ChildProcess;
import io.atoll.process.ProcessFigures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Changes frames and greetings at random, and sends them to a process that listens:
 * {@code mvn -q -DskipTests -Pmutations -pl structures test}. Each mutation follows from the seed and its number. Every
 * connection must end soon, ranks must be let in as before, and the process must have as many threads, descriptors and
 * bytes afterwards. Ends with status 1 otherwise.
 *
 * <p>{@code -Dmutations.count=1000000} says how many, {@code -Dmutations.seconds=20} for how long at most, {@code
 * -Dmutations.seed=1} which, and {@code -Dmutations.first=77} with which to begin.
 */
final class Mutations {

    private static final long WORD = SegmentHeader.size(2);
    private static final int CONNECTIONS = 2; // at a time
    private static final int ROUND = 2_000; // mutations between two looks
    private static final int WARM_UP_ROUNDS = 3;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int ENCRYPTED_OF_1000 = 1; // a listener takes 50 TLS handshakes a second
    private static final long MOST_HEAP_BYTES = 512 << 10; // more than before: caches of the JDK grow a little
    private static final long MOST_NATIVE_BYTES = 512 << 10;
    private static final long REST_SECONDS = 60;
    private static final long[] EDGES = {0, 1, -1, 7, 8, 15, 16, 24, 4096, 32_767, 32_768, 32_776, 65_535, 65_536,
        ListeningProgram.SEGMENT_BYTES - 8, ListeningProgram.SEGMENT_BYTES, Integer.MAX_VALUE, Integer.MIN_VALUE,
        Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE};

    private final long seed;
    private final ChildProcess process;
    private final int[] ports;
    private final Encryption encryption = Encryption.create();
    private final LongAdder refused = new LongAdder(); // told why
    private final LongAdder closed = new LongAdder(); // told nothing
    private final LongAdder answered = new LongAdder();
    private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();

    private Mutations(long seed, ChildProcess process, Path folder) {
        this.seed = seed;
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
            List<String> findings = new Mutations(seed, process, folder).run(first, count, seconds);
            process.end();
            process.remarks()
                    .stream()
                    .filter(line -> line.contains("Exception") && !line.contains("MalformedFrameException")
                            && !line.contains("SSL") || line.contains("Error"))
                    .forEach(findings::add);
            findings.forEach(finding -> IO.println("FINDING seed=" + seed + " " + finding));
            System.exit(findings.isEmpty() ? 0 : 1);
        } finally {
            delete(folder);
        }
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

    private List<String> run(long first, long count, long seconds) throws Exception {
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            play(-1L - round * ROUND, ROUND);
        }
        look(-1);
        ProcessFigures before = ProcessFigures.of(process);
        long begun = System.nanoTime();
        long end = first + count;
        long next = first;
        while (next < end && findings.isEmpty()
                && TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) < seconds) {
            play(next, (int) Math.min(ROUND, end - next));
            next = Math.min(end, next + ROUND);
            look(next);
        }
        double took = (System.nanoTime() - begun) / 1e9;
        ProcessFigures after = figuresAtRest(before);
        compare(before, after);
        IO.println(
                "mutations: seed=%d from=%d to=%d in %.1f s; told why=%d told nothing=%d answered=%d%n  before %s%n  after  %s"
                        .formatted(seed, first, next, took, refused.sum(), closed.sum(), answered.sum(), before,
                                after));
        return new ArrayList<>(findings);
    }

    /** Threads of the last connections end a little later than these. */
    private ProcessFigures figuresAtRest(ProcessFigures before) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
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

    private void play(long first, int count) throws InterruptedException {
        AtomicLong next = new AtomicLong(first);
        List<Thread> threads = new ArrayList<>();
        for (int connection = 0; connection < CONNECTIONS; connection++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (long number = next.getAndIncrement(); number < first + count; number = next.getAndIncrement()) {
                    try {
                        mutate(number);
                    } catch (IOException | RuntimeException failure) {
                        findings.add("number=" + number + " " + failure);
                        return;
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** A rank is let in and served as before. */
    private void look(long number) throws IOException {
        process.ask("repair");
        try (Socket socket = connect(Door.OPEN, 0)) {
            socket.getOutputStream().write(whole(greeting(Door.OPEN), frames(new SplittableRandom(number))));
            byte[] answer = socket.getInputStream().readNBytes((int) TcpGreeting.ANSWER.byteSize());
            if (!TcpGreeting.isAccepted(MemorySegment.ofArray(words(answer)))) {
                findings.add("a rank is not let in any more: number=" + number);
            } else if (socket.getInputStream().readNBytes(Frame.HEADER_BYTES).length < Frame.HEADER_BYTES) {
                findings.add("a rank is not answered any more: number=" + number);
            }
        }
    }

    private static long[] words(byte[] bytes) {
        long[] words = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asLongBuffer().get(words);
        return words;
    }

    // --- a conversation ---

    private Socket connect(Door door, long number) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        // From many addresses, so that there are ports for all, and with a reset in the end, so that none is kept.
        socket.setSoLinger(true, 0);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(
                new byte[]{127, 0, 0, (byte) (1 + Math.floorMod(number, 250))}), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", ports[door.ordinal()]), TIMEOUT_MILLIS);
        return socket;
    }

    private void mutate(long number) throws IOException {
        SplittableRandom random = new SplittableRandom(seed * 31 + number);
        Door door = random.nextInt(1000) < ENCRYPTED_OF_1000
                ? Door.ENCRYPTED
                : random.nextInt(4) == 0 ? Door.SECRET : Door.OPEN;
        try (Socket socket = connect(door, number)) {
            boolean inGreeting = random.nextInt(2) == 0;
            byte[] greeting = greeting(door);
            switch (door) {
                case OPEN -> send(socket, random, inGreeting
                        ? whole(mutated(random, greeting), frames(random))
                        : whole(greeting, mutated(random, frames(random))));
                case SECRET -> greetBySecret(socket, random, greeting, inGreeting);
                case ENCRYPTED -> send(socket, random, whole(Arrays.copyOf(greeting, (int) TcpGreeting.PREAMBLE
                        .byteSize()), mutated(random, clientHello())));
            }
            socket.shutdownOutput();
            note(socket.getInputStream().readAllBytes());
        } catch (SocketTimeoutException silence) {
            findings.add("a connection does not end: number=" + number);
        } catch (SocketException reset) {
            closed.increment();
        }
    }

    private void greetBySecret(Socket socket, SplittableRandom random, byte[] greeting, boolean inGreeting)
            throws IOException {
        byte[] hello = Arrays.copyOfRange(greeting, (int) TcpGreeting.PREAMBLE.byteSize(), greeting.length);
        socket.getOutputStream().write(greeting);
        byte[] challenge = socket.getInputStream().readNBytes((int) TcpGreeting.CHALLENGE.byteSize());
        Keys keys = Keys.of(Door.SECRET.security.secrets(), "tcp", Door.SECRET.world());
        byte[] proofs = keys.proofs(Keys.CALLER, hello, challenge, new byte[0]);
        send(socket, random, inGreeting
                ? whole(mutated(random, proofs), frames(random))
                : whole(proofs, mutated(random, frames(random))));
    }

    private void note(byte[] answer) {
        if (answer.length == 0) {
            closed.increment();
        } else if (answer.length <= TcpGreeting.ANSWER.byteSize()) {
            refused.increment();
        } else {
            answered.increment();
        }
    }

    /** At once, or in pieces. */
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

    private static byte[] greeting(Door door) {
        Request request = new Request(door.world(), ListeningProgram.CALLER, ListeningProgram.OWNER, 1, 1, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            return whole(TcpGreeting.preamble(door.security.encrypts(), arena).toArray(JAVA_BYTE),
                    TcpGreeting.hello(request, !door.security.secrets().isEmpty(), arena).toArray(JAVA_BYTE));
        }
    }

    private byte[] clientHello() throws SSLException {
        SSLEngine engine = encryption.engine(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    /** One to three frames that a rank may send. */
    private static byte[] frames(SplittableRandom random) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        int count = 1 + random.nextInt(3);
        for (int number = 1; number <= count; number++) {
            frames.writeBytes(frame(random, number));
        }
        return frames.toByteArray();
    }

    private static byte[] frame(SplittableRandom random, int number) {
        ByteBuffer frame = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        int verbs = 1 + random.nextInt(6);
        frame.position(Frame.HEADER_BYTES);
        for (int verb = 0; verb < verbs; verb++) {
            byte kind = (byte) (1 + random.nextInt(Frame.GET_AND_SET));
            int words = kind == Frame.READ || kind == Frame.WRITE ? 1 + random.nextInt(8) : 1;
            long offset = WORD + 8L * random.nextInt(1000);
            frame.put(kind).put((byte) 0).putShort((short) 0).putInt(8 * words).putLong(offset);
            for (int operand = Frame.operandBytes(kind, 8 * words); operand > 0; operand -= Long.BYTES) {
                frame.putLong(random.nextLong());
            }
        }
        int bytes = frame.position();
        frame.putInt(0, bytes).putShort(4, (short) verbs).putShort(6, (short) Frame.ANSWER_WANTED).putLong(8, number);
        return Arrays.copyOf(frame.array(), bytes);
    }

    private static byte[] whole(byte[] first, byte[] second) {
        byte[] whole = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, whole, first.length, second.length);
        return whole;
    }

    private static byte[] mutated(SplittableRandom random, byte[] original) {
        byte[] bytes = original;
        for (int change = random.nextInt(3); change >= 0 && bytes.length > Long.BYTES; change--) {
            bytes = changed(random, bytes.clone());
        }
        return bytes;
    }

    private static byte[] changed(SplittableRandom random, byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long edge = EDGES[random.nextInt(EDGES.length)];
        int at = random.nextInt(bytes.length - Long.BYTES + 1);
        switch (random.nextInt(7)) {
            case 0 -> bytes[at] = (byte) random.nextInt();
            case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> words.putShort(at & ~1, (short) edge);
            case 3 -> words.putInt(at & ~3, (int) edge);
            case 4 -> words.putLong(at & ~7, edge);
            case 5 -> {
                return Arrays.copyOf(bytes, at); // cut off
            }
            default -> {
                return whole(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, random.nextInt(at + 1), bytes.length)); // a piece twice
            }
        }
        return bytes;
    }
}
