package io.atoll.peers;

import com.sun.management.ThreadMXBean;
import io.atoll.World;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.process.CProgram;
import io.atoll.process.ChildProcess;
import io.atoll.process.OwnedFolder;
import io.atoll.world.hazelcast.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures round trips by TCP between two processes of this machine, and compares them with those of C, Redis and
 * Hazelcast. Run it by {@code mvn -q -DskipTests -Ppeers -pl structures test}. It needs taskset, gcc and redis-server.
 * Without redis-server it leaves out the comparison with Redis. It prints medians in microseconds, and their ratios
 * with the targets.
 */
final class Peers {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String PROCESSORS = System.getProperty("peers.processors", "0");
    private static final String OWNERS = System.getProperty("peers.owners", PROCESSORS);
    /** How many processors a JVM believes to have; -1 for those that it may use. */
    private static final String SEEN = System.getProperty("peers.seen", "-1");
    /** The words before a command that is to run on the owners' processors. They become the command itself. */
    private static final List<String> AT_OWNERS = List.of("taskset", "--cpu-list", OWNERS);
    private static final int THREADS = 8;
    private static final int BATCH = 256;
    private static final int PING_PONG_BYTES = 64;
    private static final int READ_BYTES = 64;
    private static final Duration COMPILING = Duration.ofSeconds(5);
    private static final Duration IDLE_TIME = Duration.ofSeconds(10);
    private static final long ALLOCATING_OPERATIONS = 100_000;
    // Hazelcast asks for what it may open.
    private static final String[] JVM = {"-Dpeers.keys=" + Keys.KEPT, "-XX:ActiveProcessorCount=" + SEEN, "-da",
        "-XX:TieredStopAtLevel=4", "-Xmx512m",
        "--add-modules=java.se",
        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.management/sun.management=ALL-UNNAMED",
        "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"};

    private final Rounds rounds = new Rounds();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Path folder;

    private Peers(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        bindToProcessors();
        try (OwnedFolder folder = OwnedFolder.create(SHARED_MEMORY, "atoll-peers-")) {
            new Peers(folder.path()).run();
        }
        // Netty's threads would keep the process alive.
        System.exit(0);
    }

    /**
     * Keeps this process, and those that it starts to call, on some processors. If callers may use several, the kernel
     * decides who has to wake another processor for each answer. That may take longer than all else, most of all in a
     * virtual machine.
     */
    private static void bindToProcessors() throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder("taskset", "--all-tasks", "--cpu-list", "--pid", PROCESSORS,
                "" + ProcessHandle.current().pid()).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        if (taskset.waitFor() != 0) {
            throw new IOException("taskset cannot bind this process to processors: processors=" + PROCESSORS);
        }
    }

    private void run() throws Exception {
        try {
            // This comes first, while nothing else runs.
            double idle = idlePercent();
            addC();
            ChildProcess other = keep(ChildProcess.start(AT_OWNERS, OtherProcess.class, JVM));
            World plain = open(Worlds.Kind.PLAIN, other);
            World encrypted = open(Worlds.Kind.ENCRYPTED, other);
            World mixed = open(Worlds.Kind.MIXED, other);
            addWorld("plain", plain);
            addWorld("encrypted", encrypted);
            addWorld("same host", mixed);
            addThreads(new AtollLongs(plain));
            Comparison comparison = compare();
            rounds.run();
            show(allocatedBytes(plain), idle, comparison);
        } finally {
            for (AutoCloseable each : opened.reversed()) {
                each.close();
            }
        }
    }

    private Comparison compare() throws Exception {
        int redis = openRedis();
        ChildProcess tcp = callingAtoll(Worlds.Kind.PLAIN);
        ChildProcess sharedMemory = callingAtoll(Worlds.Kind.MIXED);
        return new Comparison(rounds,
                List.of(structures(AtollLongs.MAP, AtollLongs.QUEUE, tcp, sharedMemory),
                        structures(AtollObjects.MAP, AtollObjects.QUEUE, tcp, sharedMemory)),
                redis == 0 ? null : calling("redis " + redis), callingHazelcast());
    }

    private static Comparison.Structures structures(String map, String queue, ChildProcess tcp,
            ChildProcess sharedMemory) {
        return new Comparison.Structures(map, queue, new CallingProcess.Caller(tcp, map),
                new CallingProcess.Caller(sharedMemory, map));
    }

    private ChildProcess callingAtoll(Worlds.Kind kind) throws IOException {
        Path shared = Files.createDirectories(folder.resolve("calling-" + kind));
        keep(ChildProcess.start(AT_OWNERS, OtherProcess.class, JVM)).ask("open " + kind + " " + shared);
        return calling("atoll " + kind + " " + shared);
    }

    private ChildProcess callingHazelcast() {
        int port = FreePorts.range(2);
        // One after the other: otherwise each of the two may begin a cluster of its own.
        ChildProcess calling = calling("hazelcast " + port);
        keep(ChildProcess.start(AT_OWNERS, OtherProcess.class, JVM)).ask("hazelcast " + port);
        calling.ask("partitions");
        return calling;
    }

    private ChildProcess calling(String whom) {
        ChildProcess calling = keep(ChildProcess.start(CallingProcess.class, JVM));
        calling.ask(whom);
        return calling;
    }

    private <T extends AutoCloseable> T keep(T one) {
        opened.add(one);
        return one;
    }

    private Process keep(Process process) {
        opened.add(() -> process.destroyForcibly().onExit().join());
        return process;
    }

    private static ProcessBuilder atOwners(String... command) {
        return new ProcessBuilder(Stream.concat(AT_OWNERS.stream(), Stream.of(command)).toList());
    }

    // --- raw C ---

    private void addC() throws IOException {
        Path program = CProgram.compile("ping-pong", CProgram.class, folder);
        String bytes = "" + PING_PONG_BYTES;
        Process server = keep(atOwners(program.toString(), "server", bytes).start());
        String port = server.inputReader().readLine();
        Process client = keep(new ProcessBuilder(program.toString(), "client", bytes, port).start());
        BufferedReader answers = client.inputReader();
        Writer requests = client.outputWriter();
        rounds.addMedian("C, 64 bytes", _ -> {
            requests.write(Rounds.OPERATIONS + "\n");
            requests.flush();
            return Long.parseLong(answers.readLine());
        });
    }

    // --- worlds ---

    private World open(Worlds.Kind kind, ChildProcess other) throws IOException {
        Path own = Files.createDirectories(folder.resolve(kind.name()));
        other.ask("open " + kind + " " + own);
        World world = keep(kind.open(own, 0));
        Worlds.connect(world);
        return world;
    }

    private void addWorld(String name, World world) {
        Fabric fabric = world.participant().endpoint().fabric();
        rounds.add(name + ", one word", _ -> fabric.readWord(1, Worlds.FREE));
        Batch batch = fabric.newBatch((long) BATCH * READ_BYTES);
        rounds.add(name + ", " + BATCH + " reads", _ -> {
            for (int read = 0; read < BATCH; read++) {
                batch.read(1, Worlds.FREE + (long) read * READ_BYTES, (long) read * READ_BYTES, READ_BYTES);
            }
            batch.complete();
        });
    }

    private void addThreads(Subject subject) {
        rounds.addThroughput(THREADS + " threads, get, 1000/s",
                Collections.nCopies(THREADS, subject.operation(Work.GET)));
    }

    private static double allocatedBytes(World world) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Fabric fabric = world.participant().endpoint().fabric();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (long operation = 0; operation < ALLOCATING_OPERATIONS; operation++) {
            fabric.readWord(1, Worlds.FREE);
        }
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / ALLOCATING_OPERATIONS;
    }

    /** Returns the percentage of a core that a process takes more when it has 126 connections that no thread uses. */
    private double idlePercent() throws Exception {
        try (ChildProcess other = ChildProcess.start(AT_OWNERS, OtherProcess.class, JVM)) {
            Path own = Files.createDirectories(folder.resolve("idle"));
            other.ask("open " + Worlds.Kind.MANY_LANES + " " + own);
            try (World world = Worlds.Kind.MANY_LANES.open(own, 0)) {
                world.participant();
                double without = percent(other.pid());
                Idle.connect(world, 1, Idle.LANES);
                other.ask("connect " + Idle.LANES);
                double with = percent(other.pid());
                IO.println("%% of a core: without connections=%.2f with=%.2f".formatted(without, with));
                return with - without;
            }
        }
    }

    private static double percent(long pid) throws Exception {
        // The compiler finishes what it has begun.
        Thread.sleep(COMPILING);
        long before = busyNanos(pid);
        Thread.sleep(IDLE_TIME);
        return 100.0 * (busyNanos(pid) - before) / IDLE_TIME.toNanos();
    }

    /** Returns how long the threads of Atoll ran on a processor, without those of the compiler. */
    private static long busyNanos(long pid) throws IOException {
        long nanos = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).startsWith("atoll-")) {
                    nanos += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        return nanos;
    }

    // --- Redis ---

    /** Starts a server. Returns its port, or 0 if there is no server on this machine. */
    private int openRedis() throws Exception {
        int port = FreePorts.range(1);
        try {
            keep(atOwners("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "",
                    "--appendonly", "no", "--dir", folder.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException missing) {
            IO.println("Redis is left out, apt-get install redis-server: " + missing.getMessage());
            return 0;
        }
        keep(connected(port));
        List<Rounds.Operation> gets = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            gets.add(new RedisCommands(keep(new BareRedis(port))).operation(Work.GET));
        }
        rounds.addThroughput(THREADS + " Redis connections, GET, 1000/s", gets);
        return port;
    }

    /** Connects to the server, and tries again until the server has begun. */
    private static BareRedis connected(int port) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        @Nullable ConnectException refused = null;
        while (System.nanoTime() < deadline) {
            try {
                return new BareRedis(port);
            } catch (ConnectException early) {
                refused = early;
                Thread.sleep(50);
            }
        }
        throw new IOException("redis-server does not begin: port=" + port, refused);
    }

    // --- targets ---

    private void show(double allocated, double idle, Comparison comparison) {
        IO.println("");
        String get = comparison.tcp(AtollLongs.MAP, Work.GET);
        atMost("one word / C", "plain, one word", "C, 64 bytes", 1.35);
        atMost("get / C", get, "C, 64 bytes", 1.5);
        atMost("256 reads / C of one", "plain, 256 reads", "C, 64 bytes", 3);
        atLeast("Lettuce GET / get", comparison.result(Comparison.LETTUCE, Work.GET) / rounds.result(get), 2);
        atLeast("8 threads / 8 Redis connections", THREADS + " threads, get, 1000/s",
                THREADS + " Redis connections, GET, 1000/s", 2);
        atLeast("get by TCP / same host", get, comparison.sharedMemory(AtollLongs.MAP, Work.GET), 20);
        atMost("encrypted / plain, one word", "encrypted, one word", "plain, one word", 1.8);
        atMost("encrypted / plain, 256 reads", "encrypted, 256 reads", "plain, 256 reads", 4);
        line("bytes allocated a read", allocated, "<", 1, allocated < 1);
        line("% of a core, 126 idle connections", idle, "<", 1, idle < 1);
        comparison.show();
    }

    private void atMost(String what, String one, String other, double most) {
        double ratio = rounds.result(one) / rounds.result(other);
        line(what, ratio, "<=", most, ratio <= most);
    }

    private void atLeast(String what, String one, String other, double least) {
        atLeast(what, rounds.result(one) / rounds.result(other), least);
    }

    private static void atLeast(String what, double ratio, double least) {
        line(what, ratio, ">=", least, ratio >= least);
    }

    private static void line(String what, double found, String relation, double target, boolean isReached) {
        IO.println("%-36s %8.2f   %s %-6s %s".formatted(what, found, relation, target,
                Double.isNaN(found) ? "not measured" : isReached ? "" : "MISSED"));
    }
}
