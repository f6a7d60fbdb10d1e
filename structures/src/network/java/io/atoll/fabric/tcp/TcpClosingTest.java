package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.trace.MeteredFabric;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that ranks that have left leave nothing behind: no thread, no descriptor, no memory that a thread keeps. */
@Isolated
@Timeout(180)
@Tag("network")
class TcpClosingTest {

    private static final long WORD = TcpRanks.FREE;

    @TempDir
    private Path folder;

    /** @param mostThreads how many connections of a rank have threads of their own; the others have loops */
    private void use(int mostThreads) throws InterruptedException {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> tcp, mostThreads)) {
            Fabric fabric = ranks.fabric(0);
            fabric.getAndAdd(1, WORD, 1);
            Thread.ofVirtual().start(() -> fabric.getAndAdd(1, WORD, 1)).join();
            ranks.fabric(1).getAndAdd(0, WORD, 1);
            ranks.attachment(1).fence(0);
        }
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("atoll-tcp-"))
                .collect(Collectors.toSet());
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException gone) {
            throw new IllegalStateException(gone);
        }
    }

    @Test
    void ranksThatLeaveLeaveNoThreadsAndNoDescriptors() throws Exception {
        use(0);
        use(1);
        long before = descriptors();
        for (int round = 0; round < 10; round++) {
            use(round % 2);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(threads()).isEmpty();
            assertThat(descriptors()).isLessThan(before + 10);
        });
    }

    /** The garbage collector does not know that memory outside its heap is scarce. */
    @Test
    void connectionsThatHaveEndedGiveTheirMemoryBackAtOnce() throws Exception {
        MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(64, Layouts.CACHE_LINE));
        int count = 400;
        List<TcpLane> ended = new ArrayList<>();
        try (LaneReader reader = new LaneReader("reader", new Spin(Spin.LOOKS));
                LaneMonitor laneMonitor = new LaneMonitor("monitor", Duration.ofSeconds(5), new Alarm())) {
            long before = addressedBytes();
            for (int index = 0; index < count; index++) {
                SocketChannel channel = new FakeConnection(segment, new Random(1)).channel();
                channel.configureBlocking(false);
                TcpLane lane = new TcpLane(1, 64, new PlainWire(channel), reader, laneMonitor, Clock.SYSTEM,
                        new Spin(Spin.LOOKS));
                lane.close("the test is over");
                ended.add(lane);
            }
            assertThat(addressedBytes() - before).isLessThan((long) ended.size() * Frame.MAXIMUM_BYTES);
        }
    }

    /** This covers both ends of a connection, served by a thread or by a loop. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void encryptedConnectionsThatHaveEndedGiveTheirMemoryBackAtOnce(int mostThreads) {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> Encrypted.settings(tcp).lanes(1), mostThreads)) {
            use(ranks);
            long before = directBytes();
            for (int round = 0; round < 20; round++) {
                use(ranks);
            }
            // Otherwise each of them would keep some 100 KiB until the collector runs.
            await().atMost(Duration.ofSeconds(60)).until(() -> directBytes() <= before + ServingBuffers.BYTES);
        }
    }

    /** Uses a connection of its own. */
    private static void use(TcpRanks ranks) {
        ranks.restart(0);
        ranks.connect(1, 0);
        ranks.connect(0, 1);
        ranks.fabric(0).getAndAdd(1, WORD, 1);
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
                .stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static long addressedBytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String size = lines.filter(line -> line.startsWith("VmSize:")).findAny().orElseThrow();
            return Long.parseLong(size.replaceAll("[^0-9]", "")) << 10;
        }
    }

    /** A collected thread-local leaves its value in the thread until others need its place. */
    @Test
    void aThreadThatGoesOnKeepsNoFabricThatWasClosed() {
        WeakReference<Fabric> unused = usedOnce();
        List<ThreadLocal<Long>> others = new ArrayList<>();
        await().pollInSameThread().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            for (long other = 0; other < 100; other++) {
                ThreadLocal<Long> one = new ThreadLocal<>();
                one.set(other);
                others.add(one);
            }
            return unused.refersTo(null);
        });
        assertThat(others).isNotEmpty();
    }

    @Test
    void aThreadThatGoesOnKeepsNoBatchOfAnEndpointThatWasClosed() {
        WeakReference<Batch> unused = countedOnce();
        await().pollInSameThread().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            return unused.refersTo(null);
        });
    }

    private WeakReference<Batch> countedOnce() {
        try (TcpRanks ranks = new TcpRanks(folder)) {
            Endpoint counted = new Endpoint(MeteredFabric.around(ranks.fabric(0), new VerbCounts()));
            counted.batch().complete();
            return new WeakReference<>(ranks.fabric(0).batch());
        }
    }

    private WeakReference<Fabric> usedOnce() {
        try (TcpRanks ranks = new TcpRanks(folder)) {
            ranks.fabric(0).getAndAdd(1, WORD, 1);
            ranks.fabric(0).batch().complete();
            return new WeakReference<>(ranks.fabric(0));
        }
    }
}
