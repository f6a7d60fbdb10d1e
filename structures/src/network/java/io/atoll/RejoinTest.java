package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.collective.Broadcast;
import io.atoll.collective.Exchange;
import io.atoll.collective.Team;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.epoch.Token;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.history.Event;
import io.atoll.linked.LinkedQueue;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.WorldIdentity;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import io.atoll.world.Peers.PeerStatus;
import io.atoll.world.hazelcast.FreePorts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A rank that a view has removed while it lived joins again by itself. Three ranks in this process use TCP and a list
 * of addresses. Each one has a folder of its own, as on a host of its own.
 */
@Timeout(300)
@Isolated("counts threads and descriptors")
@Tag("network")
class RejoinTest {

    private static final int RANKS = 3;
    private static final int OUT = 2;
    // 50 rounds find leaks.
    private static final int ROUNDS = Integer.getInteger("atoll.rejoin.rounds", 3);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final long SEGMENT_BYTES = 4 << 20;
    // Both ends of two connections for each pair.
    private static final int MOST_CONNECTIONS = RANKS * (RANKS - 1) * 2 * 2;

    @TempDir
    private Path folder;

    private volatile Runnable beforeItAttaches = () -> {};
    private final Set<Integer> silent = ConcurrentHashMap.newKeySet();
    private final int port = FreePorts.range(RANKS);
    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
        assertThat(IntStream.range(port, port + RANKS)).allMatch(FreePorts::isFree);
    }

    private FabricType fabric(int rank) {
        List<InetSocketAddress> addresses = IntStream.range(port, port + RANKS)
                .mapToObj(each -> InetSocketAddress.createUnresolved("127.0.0.1", each))
                .toList();
        Path host = folder.resolve("host-" + rank);
        try {
            Files.createDirectories(host);
        } catch (IOException failure) {
            throw new IllegalStateException("no folder: host=" + host, failure);
        }
        FabricType tcp = new Tcp(Fabrics.sharedMemory(host, false)).at(addresses)
                .security(Security.none())
                .silenceTimeout(Duration.ofSeconds(2));
        return new Muffled(rank == OUT ? new Preceded(tcp, () -> beforeItAttaches.run()) : tcp, silent);
    }

    /** Runs an action before a rank takes its place. */
    private record Preceded(FabricType fabric, Runnable before) implements FabricType {

        @Override
        public String name() {
            return fabric.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            before.run();
            return fabric.attach(world, rank, segmentBytes);
        }
    }

    private WorldBuilder world(int rank) {
        return World.named("rejoining").size(RANKS).rank(rank).segment(SEGMENT_BYTES).fabric(fabric(rank));
    }

    private void open() {
        IntStream.range(0, RANKS).forEach(rank -> worlds.add(world(rank).open()));
        worlds.forEach(World::participant);
    }

    private World out() {
        return worlds.get(OUT);
    }

    /** Silences the rank for the others until they remove it. */
    private void remove() {
        silent.add(OUT);
        await().atMost(SOON).until(() -> out().rejoining().isPresent());
    }

    private void hear(int incarnation) {
        silent.clear();
        await().atMost(SOON).until(() -> out().incarnation() == incarnation && out().rejoining().isEmpty());
        for (World world : worlds.subList(0, OUT)) {
            await().atMost(SOON)
                    .until(() -> world.peers().snapshot().get(OUT).status() == PeerStatus.JOINED
                            && world.peers().snapshot().get(OUT).incarnation() == incarnation);
        }
    }

    private <T> List<T> atOnce(List<Callable<T>> programs) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<T> results = new ArrayList<>();
            for (Future<T> each : threads.invokeAll(programs, SOON.toSeconds(), TimeUnit.SECONDS)) {
                results.add(each.get());
            }
            return results;
        }
    }

    private static long ownedBy(LockTable table, int owner) {
        return LongStream.range(0, table.locks()).filter(lock -> table.owner(lock) == owner).findFirst().orElseThrow();
    }

    private static void assertRemoved(Callable<?> operation) {
        assertThatExceptionOfType(FencedException.class).isThrownBy(operation::call)
                .withMessageContaining("repeat the operation when it has joined again")
                .satisfies(fenced -> assertThat(fenced.refusal().reason()).isEqualTo(Reason.REMOVED));
    }

    @Test
    void theHistoryOfTheRankGoesOnAndTellsOfItsRemoval() {
        IntStream.range(0, RANKS).forEach(rank -> worlds.add(world(rank).history(true).open()));
        worlds.forEach(World::participant);
        Inspection inspection = worlds.getFirst().inspection();
        await().atMost(SOON).until(() -> kinds(inspection).contains(Event.Kind.JOINED));
        remove();
        hear(2);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(kinds(inspection)).contains(Event.Kind.JOINED, Event.Kind.VIEW)
                        .containsSubsequence(Event.Kind.REMOVED, Event.Kind.REJOINED));
    }

    private static List<Event.Kind> kinds(Inspection inspection) {
        return inspection.history(OUT)
                .map(history -> history.events().stream().map(Event::kind).toList())
                .orElse(List.of());
    }

    @Test
    void itComesBackByItselfAndWhatWasOpenedBeforeWorksAgain() throws Exception {
        open();
        LongLongMap hits = out().longMap("hits").capacity(1000).open();
        DistributedMap<String, String> names = out().map("names", String.class, String.class).capacity(100).open();
        LongCircularQueue ring = out().longQueue("ring").capacity(8).host(OUT).open();
        LinkedQueue<Long> tasks = out().linkedQueue("tasks", Long.class).host(0).open();
        LockTable locks = out().lockTable("locks").locks(8).open();
        LongLongMap lazy = out().longMap("lazy").openLazily();
        for (long key = 0; key < 30; key++) {
            hits.put(key, 7 * key);
        }
        names.put("a", "b");
        ring.push(5);
        tasks.push(6L);
        long before = out().inspection().views().orElseThrow().view().number();

        remove();
        assertThat(out().refusal()).isEmpty();
        assertThat(out().rejoining().orElseThrow().removal().reason()).isEqualTo(Reason.REMOVED);
        for (long key = 0; key < 30; key++) {
            long any = key;
            assertRemoved(() -> hits.getOrDefault(any, -1));
        }
        assertRemoved(() -> lazy.getOrDefault(1, -1));
        assertRemoved(() -> ring.push(1));
        assertRemoved(() -> locks.tryLockAt(0));
        assertRemoved(() -> out().epochs().pin());
        assertRemoved(() -> out().structures());
        await().atMost(SOON).until(() -> out().rejoining().orElseThrow().waitsFor().contains("a view of the world"));

        hear(2);
        assertThat(out().rejoins()).isEqualTo(1);
        assertThat(out().refusal()).isEmpty();
        assertThat(out().inspection().views().orElseThrow().view().number()).isGreaterThanOrEqualTo(before + 2);
        for (long key = 0; key < 30; key++) {
            assertThat(hits.getOrDefault(key, -1)).isEqualTo(7 * key);
        }
        assertThat(hits.addAndGet(3, 1)).isEqualTo(22);
        assertThat(worlds.getFirst().longMap("hits").capacity(1000).open().getOrDefault(3, -1)).isEqualTo(22);
        assertThat(names.get("a")).isEqualTo("b");
        assertThat(names.put("a", "c")).isFalse();
        assertThat(ring.pop(-1)).isEqualTo(5);
        assertThat(tasks.pop()).isEqualTo(6);
        assertThat(lazy.getOrDefault(1, -1)).isEqualTo(-1);
        for (long lock = 0; lock < locks.locks(); lock++) {
            locks.lockAt(lock).close();
        }
        assertThat(out().structures()).isNotEmpty();
        try (Token token = out().epochs().register()) {
            token.pin().close();
        }
        atOnce(worlds.stream().<Callable<Boolean>>map(world -> () -> {
            world.barrier();
            return true;
        }).toList());
    }

    @Test
    void collectivesOpenedBeforeWorkAgain() throws Exception {
        open();
        List<Exchange> exchanges = new ArrayList<>();
        List<Broadcast> broadcasts = new ArrayList<>();
        for (World world : worlds) {
            exchanges.add(world.collectives().exchange("sums").openLazily());
            broadcasts.add(world.collectives().broadcast("model").bytes(64).openLazily());
        }
        for (int incarnation = 1; incarnation <= 2; incarnation++) {
            if (incarnation > 1) {
                remove();
                hear(incarnation);
            }
            assertThat(atOnce(IntStream.range(0, RANKS).<Callable<Long>>mapToObj(rank -> () -> {
                long[] one = {rank + 1};
                exchanges.get(rank).allReduce(one, Long::sum);
                return one[0];
            }).toList())).containsOnly(6L);
            for (int root = 0; root < RANKS; root++) {
                MemorySegment sent = MemorySegment.ofArray(new long[]{100 * incarnation + root});
                Broadcast sender = broadcasts.get(root);
                broadcasts.forEach(Broadcast::view);
                sender.write(0, sent);
                sender.send(0, Long.BYTES);
                sender.flush();
                for (Broadcast each : broadcasts) {
                    assertThat(each.view().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(100L * incarnation + root);
                }
            }
        }
    }

    @Test
    void aLockThatItHeldIsLostAndItsReleaseSaysSo() throws Exception {
        open();
        LockTable mine = out().lockTable("locks").locks(8).open();
        LockTable others = worlds.getFirst().lockTable("locks").locks(8).open();
        long there = ownedBy(mine, 0);
        long here = ownedBy(mine, OUT);
        Acquisition remote = mine.lockAt(there);
        Acquisition own = mine.lockAt(here);
        Lock view = mine.asLockAt(ownedBy(mine, 1), true);
        view.lock();

        remove();
        try (Acquisition next = others.tryLockAt(there, SOON)) {
            assertThat(next).isNotNull();
            assertThat(next.fencingToken()).isGreaterThan(remote.fencingToken());
            assertThat(next.recovered()).isTrue();
            hear(2);

            assertThat(remote.isHeld()).isFalse();
            assertRemoved(() -> {
                remote.close();
                return null;
            });
            assertThat(mine.tryLockAt(there)).isNull();
        }
        assertRemoved(() -> {
            own.close();
            return null;
        });
        try (Acquisition again = mine.lockAt(here)) {
            assertThat(again.fencingToken()).isGreaterThan(own.fencingToken());
        }
        try (Acquisition again = others.tryLockAt(here, SOON)) {
            assertThat(again).isNotNull();
        }
        assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
        view.lock();
        view.unlock();
        mine.lockAt(there).close();
    }

    @Test
    void itsTokensFromBeforeArePinnedNoMoreAndSaySo() throws Exception {
        open();
        worlds.forEach(world -> world.epochs().prepare());
        Token pinned = out().epochs().register();
        GlobalPointer object = new GlobalPointer(0, out().participant().heap().allocate(0, Long.BYTES));
        Token ofThread = out().epochs().token();
        pinned.pin();
        ofThread.pin();
        assertThat(pinnedOf(OUT)).isEqualTo(2);

        remove();
        hear(2);

        assertRemoved(() -> {
            pinned.retire(object);
            return null;
        });
        assertRemoved(() -> {
            pinned.unpin();
            return null;
        });
        assertThatThrownBy(() -> out().epochs().refuseForeign(pinned)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("joined its world again");
        out().epochs().pin().unpin();
        assertThat(out().epochs().token()).isNotSameAs(ofThread);
        assertThat(pinnedOf(OUT)).isZero();
        long epoch = worlds.getFirst().epochs().snapshot().epoch();
        await().atMost(SOON).until(() -> {
            worlds.getFirst().epochs().tryReclaim();
            return worlds.getFirst().epochs().snapshot().epoch() > epoch + 2;
        });
    }

    private long pinnedOf(int rank) {
        return worlds.getFirst()
                .epochs()
                .snapshot()
                .ranks()
                .get(rank)
                .tokens()
                .stream()
                .filter(EpochSnapshot.TokenState::pinned)
                .count();
    }

    @Test
    void whoeverWaitsInAnOperationIsToldAtOnce() throws Exception {
        open();
        LockTable mine = out().lockTable("locks").locks(8).open();
        LockTable others = worlds.getFirst().lockTable("locks").locks(8).open();
        BlockingQueue<Long> ring = out().queue("ring", Long.class).capacity(8).host(0).open().asBlockingQueue();
        long here = ownedBy(mine, OUT);
        long there = ownedBy(mine, 0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                // Ends waits, whatever fails here.
                AutoCloseable _ = () -> worlds.forEach(World::close);
                Acquisition _ = others.lockAt(here);
                Acquisition _ = others.lockAt(there)) {
            List<Future<?>> waiting = List.of(threads.submit(() -> mine.lockAt(here)),
                    threads.submit(() -> mine.lockAt(there)), threads.submit(ring::take), threads.submit(() -> {
                        out().barrier();
                        return null;
                    }));
            await().atMost(SOON)
                    .until(() -> !out().waits().isEmpty() && !mine.state(here).waiting().isEmpty()
                            && !mine.state(there).waiting().isEmpty());
            remove();
            for (Future<?> each : waiting) {
                // The others end its connections first. A user of one may fail before this process knows why.
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> each.get(10, TimeUnit.SECONDS))
                        .satisfies(failed -> assertThat(failed.getCause())
                                .isInstanceOfAny(FencedException.class, RankUnreachableException.class));
            }
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting.getFirst()::get)
                    .withCauseInstanceOf(FencedException.class);
            hear(2);
        }
    }

    @Test
    @Timeout(3000)
    void itComesBackAsOftenAsItIsRemovedAndLeavesNothingBehind() throws Exception {
        open();
        LongLongMap counts = out().longMap("counts").capacity(1000).open();
        LongLongMap seen = worlds.getFirst().longMap("counts").capacity(1000).open();
        LockTable locks = out().lockTable("locks").locks(8).open();
        out().collectives().broadcast("model").bytes(64).team(Team.of(0, OUT)).open();
        long threads = 0;
        long mappings = 0;
        long descriptors = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            for (long key = 0; key < 30; key++) {
                counts.addAndGet(key, 1);
                assertThat(seen.getOrDefault(key, -1)).isEqualTo(round);
            }
            locks.lockAt(ownedBy(locks, OUT));
            out().epochs().register().pin();
            remove();
            hear(round + 1);
            assertThat(out().rejoins()).isEqualTo(round);
            if (round == 1) {
                threads = lastingThreads();
                mappings = mappings();
                descriptors = descriptors();
            } else {
                long most = threads;
                await().atMost(SOON).untilAsserted(() -> assertThat(lastingThreads()).isLessThanOrEqualTo(most));
                assertThat(mappings()).isLessThanOrEqualTo(mappings);
                assertThat(descriptors()).isLessThanOrEqualTo(descriptors + MOST_CONNECTIONS);
            }
        }
        worlds.forEach(World::close);
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    /**
     * Counts the threads that a life has from its beginning to its end. Those of a connection or a question do not
     * count.
     */
    private static long lastingThreads() {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .map(Thread::getName)
                .filter(name -> name.matches("atoll-(?!elector|inquiry|connect)(?!.*-from-).*"))
                .count();
    }

    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.toString())).count();
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void whileItIsOutItCanBeClosedAndLeavesNothingBehind() throws Exception {
        open();
        remove();
        await().atMost(SOON).until(() -> out().rejoining().orElseThrow().waitsFor().contains("a view of the world"));
        out().close();
        assertThatThrownBy(() -> out().structures()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has left its world");
        assertThat(FreePorts.isFree(port + OUT)).isTrue();
        try (Stream<Path> files = Files.walk(folder.resolve("host-" + OUT))) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void toldNotToItStaysOut() {
        worlds.add(world(0).open());
        worlds.add(world(1).open());
        worlds.add(world(OUT).rejoin(false).open());
        worlds.forEach(World::participant);
        assertStaysOut(Reason.REMOVED);
    }

    /** There is no second one to join by. */
    @Test
    void byAMembershipThatIsJoinedOnceItStaysOut() {
        worlds.add(world(0).open());
        worlds.add(world(1).open());
        worlds.add(world(OUT).membership(new JoinedOnce()).open());
        worlds.forEach(World::participant);
        assertStaysOut(Reason.REMOVED);
    }

    private static final class JoinedOnce implements Membership {

        @Override
        public void join(Member self, Runnable onChange) {
            // The list of addresses says all.
        }

        @Override
        public List<Member> members() {
            return List.of();
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private void assertStaysOut(Reason reason) {
        silent.add(OUT);
        await().atMost(SOON).until(() -> out().refusal().isPresent());
        assertThat(out().refusal().orElseThrow().reason()).isEqualTo(reason);
        assertThat(out().rejoining()).isEmpty();
        silent.clear();
        await().during(Duration.ofSeconds(2))
                .atMost(SOON)
                .until(() -> out().refusal().isPresent() && out().incarnation() == 1);
    }

    @Test
    void aRankThatAnotherHasTakenMeanwhileStaysOut() {
        open();
        LongLongMap hits = out().longMap("hits").capacity(1000).open();
        List<Attachment> taken = new CopyOnWriteArrayList<>();
        FabricType host = Fabrics.sharedMemory(folder.resolve("host-" + OUT), false);
        beforeItAttaches = () -> taken
                .add(host.attach(new WorldIdentity("rejoining", RANKS), OptionalInt.of(OUT), SEGMENT_BYTES));
        silent.add(OUT);
        await().atMost(SOON).until(() -> out().refusal().isPresent());
        assertThat(out().refusal().orElseThrow().reason()).isEqualTo(Reason.RANK_TAKEN);
        assertThat(out().rejoining()).isEmpty();
        for (long key = 0; key < 30; key++) {
            long any = key;
            assertThatExceptionOfType(FencedException.class).isThrownBy(() -> hits.getOrDefault(any, -1));
        }
        assertThatExceptionOfType(FencedException.class).isThrownBy(out()::structures)
                .satisfies(fenced -> assertThat(fenced.refusal().reason()).isEqualTo(Reason.RANK_TAKEN));
        taken.forEach(Attachment::close);
    }

    @Test
    void whileItsPortIsTakenItTriesAgainAndKeepsItsData() throws Exception {
        open();
        LongLongMap hits = out().longMap("hits").capacity(1000).open();
        for (long key = 0; key < 30; key++) {
            hits.put(key, 7 * key);
        }
        try (ServerSocket stranger = new ServerSocket()) {
            AtomicInteger attempts = new AtomicInteger();
            beforeItAttaches = () -> {
                if (attempts.getAndIncrement() == 0) {
                    bind(stranger);
                }
            };
            remove();
            await().atMost(SOON)
                    .until(() -> attempts.get() > 1
                            && out().rejoining().orElseThrow().waitsFor().contains("another attempt"));
            assertThat(out().rejoining().orElseThrow().waitsFor()).contains("port=" + (port + OUT));
        }
        silent.clear();
        await().atMost(SOON).until(() -> out().rejoins() == 1);
        for (long key = 0; key < 30; key++) {
            assertThat(hits.getOrDefault(key, -1)).isEqualTo(7 * key);
        }
    }

    private void bind(ServerSocket stranger) {
        try {
            stranger.setReuseAddress(true);
            stranger.bind(new InetSocketAddress("127.0.0.1", port + OUT));
        } catch (IOException failure) {
            throw new IllegalStateException("the port is not free: port=" + (port + OUT), failure);
        }
    }

    @Test
    void aRankWhoseFilesWereRemovedStaysOut() throws IOException {
        open();
        Files.delete(folder.resolve("host-" + OUT).resolve("atoll-rejoining-" + OUT + ".lock"));
        Files.delete(folder.resolve("host-" + OUT).resolve("atoll-rejoining-" + OUT + ".segment"));
        await().atMost(SOON).until(() -> out().refusal().isPresent());
        assertThat(out().refusal().orElseThrow().reason()).isEqualTo(Reason.RANK_LOST);
        assertThat(out().rejoining()).isEmpty();
    }
}
