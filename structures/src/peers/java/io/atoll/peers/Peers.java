package io.atoll.peers;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.sun.management.ThreadMXBean;
import io.atoll.World;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.memory.SegmentHeader;
import io.atoll.process.CProgram;
import io.atoll.process.ChildProcess;
import io.atoll.world.hazelcast.FreePorts;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures round trips by TCP between two processes of this machine, and compares them with those of C, Redis and
 * Hazelcast. Run it by {@code mvn -q -DskipTests -Ppeers -pl structures test}. It needs gcc and redis-server. Without
 * redis-server it leaves out the comparison with Redis. It prints medians in microseconds, and their ratios with the
 * targets.
 */
final class Peers {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int THREADS = 8;
    private static final int BATCH = 256;
    private static final int PING_PONG_BYTES = 64;
    private static final int READ_BYTES = 64;
    private static final Duration COMPILING = Duration.ofSeconds(5);
    private static final Duration IDLE_TIME = Duration.ofSeconds(10);
    private static final long ALLOCATING_OPERATIONS = 100_000;
    private static final String[] JVM = {"-XX:TieredStopAtLevel=4", "-Xmx256m"};

    private final Rounds rounds = new Rounds();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Path folder;

    private Peers(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory(SHARED_MEMORY, "atoll-peers");
        try {
            new Peers(folder).run();
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        // Netty's threads would keep the process alive.
        System.exit(0);
    }

    private void run() throws Exception {
        try {
            // This comes first, while nothing else runs.
            double idle = idlePercent();
            addC();
            ChildProcess other = keep(ChildProcess.start(OtherProcess.class, JVM));
            World plain = open(Worlds.Kind.PLAIN, other);
            World encrypted = open(Worlds.Kind.ENCRYPTED, other);
            World mixed = open(Worlds.Kind.MIXED, other);
            addWorld("plain", plain);
            addWorld("encrypted", encrypted);
            addWorld("same host", mixed);
            addThreads(plain);
            addRedis();
            addHazelcast();
            rounds.run();
            show(allocatedBytes(plain), idle);
        } finally {
            for (AutoCloseable each : opened.reversed()) {
                each.close();
            }
        }
    }

    private <T extends AutoCloseable> T keep(T one) {
        opened.add(one);
        return one;
    }

    private Process keep(Process process) {
        opened.add(() -> process.destroyForcibly().onExit().join());
        return process;
    }

    // --- raw C ---

    private void addC() throws IOException {
        Path program = CProgram.compile("ping-pong", CProgram.class, folder);
        String bytes = "" + PING_PONG_BYTES;
        Process server = keep(new ProcessBuilder(program.toString(), "server", bytes).start());
        String port = server.inputReader().readLine();
        Process client = keep(new ProcessBuilder(program.toString(), "client", bytes, port).start());
        BufferedReader answers = client.inputReader();
        Writer requests = client.outputWriter();
        rounds.addMedian("C, 64 bytes", operations -> {
            requests.write(operations + "\n");
            requests.flush();
            return Long.parseLong(answers.readLine());
        });
    }

    // --- worlds ---

    private World open(Worlds.Kind kind, ChildProcess other) throws IOException {
        Path own = Files.createDirectories(folder.resolve(kind.name()));
        other.ask("open " + kind + " " + own);
        World world = keep(kind.open(own, 0));
        connect(world);
        return world;
    }

    /**
     * Connects to the other rank. The first handshake of two new processes may take longer than a caller waits, so it
     * is repeated.
     */
    private static void connect(World world) {
        Fabric fabric = world.participant().endpoint().fabric();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                fabric.readWord(1, SegmentHeader.size(world.maxSize()));
                return;
            } catch (RankUnreachableException late) {
                if (System.nanoTime() > deadline) {
                    throw late;
                }
            }
        }
    }

    private void addWorld(String name, World world) {
        rounds.add(name + ", find", find(world));
        Fabric fabric = world.participant().endpoint().fabric();
        long offset = SegmentHeader.size(world.maxSize());
        rounds.add(name + ", one word", () -> fabric.readWord(1, offset));
        Batch batch = fabric.newBatch((long) BATCH * READ_BYTES);
        rounds.add(name + ", " + BATCH + " reads", () -> {
            for (int read = 0; read < BATCH; read++) {
                batch.read(1, offset + (long) read * READ_BYTES, (long) read * READ_BYTES, READ_BYTES);
            }
            batch.complete();
        });
    }

    /**
     * Returns an operation that finds one key after the other. All keys belong to the other rank, because the way to a
     * key depends on its rank.
     */
    private static Rounds.Operation find(World world) {
        LongLongMap map = world.longMap(Worlds.MAP).capacity(Worlds.KEYS).open();
        long[] keys = LongStream.range(0, Worlds.KEYS / 2).filter(each -> map.owner(each) == 1).toArray();
        for (long key : keys) {
            map.put(key, 7);
        }
        int[] next = new int[1];
        return () -> map.getOrDefault(keys[next[0]++ % keys.length], -1);
    }

    private void addThreads(World world) {
        List<Rounds.Operation> finds = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            finds.add(find(world));
        }
        rounds.addThroughput("8 threads, find, 1000/s", finds);
    }

    private static double allocatedBytes(World world) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Fabric fabric = world.participant().endpoint().fabric();
        long offset = SegmentHeader.size(world.maxSize());
        long before = threads.getCurrentThreadAllocatedBytes();
        for (long operation = 0; operation < ALLOCATING_OPERATIONS; operation++) {
            fabric.readWord(1, offset);
        }
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / ALLOCATING_OPERATIONS;
    }

    /** Returns the percentage of a core that a process takes more when it has 126 connections that no thread uses. */
    private double idlePercent() throws Exception {
        try (ChildProcess other = ChildProcess.start(OtherProcess.class, JVM)) {
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

    private void addRedis() throws Exception {
        int port = FreePorts.range(1);
        try {
            keep(new ProcessBuilder("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "",
                    "--appendonly", "no", "--dir", folder.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException missing) {
            IO.println("Redis is left out, apt-get install redis-server: " + missing.getMessage());
            return;
        }
        BareRedis redis = keep(connected(port));
        redis.ask(BareRedis.request("SET", "key", "7"), "+OK\r\n".length());
        ByteBuffer get = BareRedis.request("GET", "key");
        int answerBytes = "$1\r\n7\r\n".length();
        rounds.add("Redis, bare, GET", () -> redis.ask(get, answerBytes));
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        opened.add(client::shutdown);
        StatefulRedisConnection<String, String> connection = client.connect();
        rounds.add("Redis, Lettuce, GET", () -> connection.sync().get("key"));
        List<Rounds.Operation> gets = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            BareRedis own = keep(new BareRedis(port));
            ByteBuffer request = BareRedis.request("GET", "key");
            gets.add(() -> own.ask(request, answerBytes));
        }
        rounds.addThroughput("8 Redis connections, GET, 1000/s", gets);
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

    // --- Hazelcast ---

    private void addHazelcast() throws InterruptedException {
        int port = FreePorts.range(2);
        HazelcastInstance own = Worlds.hazelcast(port, 0);
        opened.add(own::shutdown);
        ChildProcess other = keep(ChildProcess.start(OtherProcess.class, JVM));
        other.ask("hazelcast " + port);
        IMap<Long, Long> map = own.getMap(Worlds.MAP);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < deadline) {
            for (long key = 0; key < Worlds.KEYS; key++) {
                var owner = own.getPartitionService().getPartition(key).getOwner();
                if (owner != null && !owner.localMember()) {
                    long away = key;
                    map.put(away, 7L);
                    rounds.add("Hazelcast, get", () -> map.get(away));
                    return;
                }
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("Hazelcast gives the other member no partition");
    }

    // --- targets ---

    private void show(double allocated, double idle) {
        IO.println("");
        atMost("one word / C", "plain, one word", "C, 64 bytes", 1.35);
        atMost("find / C", "plain, find", "C, 64 bytes", 1.5);
        atMost("256 reads / C of one", "plain, 256 reads", "C, 64 bytes", 3);
        atLeast("bare Redis GET / find", "Redis, bare, GET", "plain, find", 1);
        atLeast("Lettuce GET / find", "Redis, Lettuce, GET", "plain, find", 2);
        atLeast("Hazelcast get / find", "Hazelcast, get", "plain, find", 4);
        atLeast("8 threads / 8 Redis connections", "8 threads, find, 1000/s", "8 Redis connections, GET, 1000/s", 2);
        atLeast("find by TCP / same host", "plain, find", "same host, find", 20);
        atMost("encrypted / plain, one word", "encrypted, one word", "plain, one word", 1.8);
        atMost("encrypted / plain, 256 reads", "encrypted, 256 reads", "plain, 256 reads", 4);
        line("bytes allocated a read", allocated, "<", 1, allocated < 1);
        line("% of a core, 126 idle connections", idle, "<", 1, idle < 1);
    }

    private void atMost(String what, String one, String other, double most) {
        double ratio = rounds.result(one) / rounds.result(other);
        line(what, ratio, "<=", most, ratio <= most);
    }

    private void atLeast(String what, String one, String other, double least) {
        double ratio = rounds.result(one) / rounds.result(other);
        line(what, ratio, ">=", least, ratio >= least);
    }

    private static void line(String what, double found, String relation, double target, boolean isReached) {
        IO.println("%-36s %8.2f   %s %-6s %s".formatted(what, found, relation, target,
                Double.isNaN(found) ? "not measured" : isReached ? "" : "MISSED"));
    }
}
