package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.AtollException;
import io.atoll.failure.FencedException;
import io.atoll.map.LongLongMap;
import io.atoll.process.Program;
import io.atoll.view.Views;
import io.atoll.world.Peers.PeerStatus;
import io.atoll.world.hazelcast.Discovery;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A rank of a world that obeys a test. */
final class WorldProgram implements Program {

    static final Duration HEARTBEAT = Duration.ofSeconds(1);
    static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(3);
    static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(2);

    private @Nullable World world;
    private @Nullable LongLongMap map;
    private @Nullable CompletableFuture<String> work;
    private volatile boolean working;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> open(arguments);
            case "close" -> close(world());
            case "map" -> map(arguments.getFirst(), number(arguments, 1));
            case "put" -> "" + map().put(number(arguments, 0), number(arguments, 1));
            case "find" -> "" + map().getOrDefault(number(arguments, 0), -1);
            case "increment" -> "" + map().addAndGet(number(arguments, 0), 1);
            case "work" -> work((int) number(arguments, 0));
            case "rest" -> rest();
            case "barrier" -> barrier();
            case "structures" -> "" + world().structures().size();
            case "allocate" -> "" + world().participant().heap().allocate(rank(arguments), number(arguments, 1));
            case "free" -> free(rank(arguments), number(arguments, 1));
            case "reserve" -> "" + world().participant().heap().reserve(rank(arguments), number(arguments, 1));
            case "standing" -> "" + world().peers().snapshot().get(rank(arguments)).status();
            case "awaitLost" -> awaitLost(rank(arguments));
            case "members" -> world().inspection()
                    .views()
                    .map(Views.Status::view)
                    .map(view -> "" + view.members())
                    .orElse("none");
            case "waiting" -> world().inspection().views().flatMap(Views.Status::waiting).orElse("nothing");
            case "incarnation" -> "" + world().incarnation();
            case "rejoining" -> "" + world().rejoining().isPresent();
            case "refusal" -> world().refusal().map(refusal -> "" + refusal.reason()).orElse("none");
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private World world() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    private String awaitLost(int rank) {
        Awaitility.await()
                .forever()
                .pollInterval(Duration.ofMillis(20))
                .until(() -> world().peers().snapshot().get(rank).status() == PeerStatus.LOST);
        return "LOST";
    }

    private LongLongMap map() {
        if (map == null) {
            throw new IllegalStateException("no map is open");
        }
        return map;
    }

    private static long number(List<String> arguments, int index) {
        return Long.parseLong(arguments.get(index));
    }

    private static int rank(List<String> arguments) {
        return Integer.parseInt(arguments.getFirst());
    }

    private String free(int rank, long offset) {
        world().participant().heap().free(rank, offset);
        return "freed";
    }

    /**
     * Opens a world. The arguments are {@code folder=... size=3 rank=1}, and {@code retain=true}, {@code bytes=...},
     * {@code port=...} for Hazelcast, as needed. Ranks of several hosts have
     * {@code bind=10.98.0.1 tcp=7420 members=10.98.0.1,10.98.0.2}, or {@code addresses=10.98.0.1:7420,10.98.0.2:7420}.
     */
    private String open(List<String> arguments) {
        Map<String, String> told = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            told.put(parts[0], parts[1]);
        }
        WorldBuilder builder = World.named(told.getOrDefault("name", "test"))
                .size(Integer.parseInt(told.get("size")))
                .segment(Long.parseLong(told.getOrDefault("bytes", "4194304")))
                .fabric(fabric(told));
        if (told.containsKey("rank")) {
            builder.rank(Integer.parseInt(told.get("rank")));
        }
        if (told.containsKey("port")) {
            builder.membership(membership(told));
        }
        world = builder.open();
        return "incarnation=" + world.incarnation();
    }

    private static FabricType fabric(Map<String, String> told) {
        FabricType host = Fabrics.sharedMemory(Path.of(told.getOrDefault("folder", "/dev/shm")),
                Boolean.parseBoolean(told.get("retain")));
        if (told.containsKey("addresses")) {
            return new Tcp(host)
                    .at(Arrays.stream(told.get("addresses").split(",")).map(WorldProgram::address).toList())
                    .security(Security.none())
                    .silenceTimeout(SILENCE_TIMEOUT);
        }
        return told.containsKey("tcp")
                ? new Tcp(host).bind(told.get("bind"), Integer.parseInt(told.get("tcp")))
                        .security(Security.none())
                        .silenceTimeout(SILENCE_TIMEOUT)
                : host;
    }

    private static InetSocketAddress address(String told) {
        String[] parts = told.split(":", 2);
        return InetSocketAddress.createUnresolved(parts[0], Integer.parseInt(parts[1]));
    }

    private static HazelcastMembership membership(Map<String, String> told) {
        int port = Integer.parseInt(told.get("port"));
        return told.containsKey("members")
                ? new HazelcastMembership(HazelcastSettings.defaults()
                        .withBindAddress(told.get("bind"))
                        .withPort(port)
                        .withDiscovery(new Discovery.Addresses(List.of(told.get("members").split(","))))
                        .withHeartbeat(HEARTBEAT, HEARTBEAT_TIMEOUT))
                : membership(port);
    }

    static HazelcastMembership membership(int port) {
        return new HazelcastMembership(
                HazelcastSettings.defaults().withPort(port).withHeartbeat(HEARTBEAT, HEARTBEAT_TIMEOUT));
    }

    private String close(World open) {
        open.close();
        world = null;
        map = null;
        return "closed";
    }

    private String map(String name, long capacity) {
        map = world().longMap(name).capacity(capacity).open();
        return name;
    }

    private String barrier() throws InterruptedException {
        world().barrier();
        return "passed";
    }

    /** Increments the keys from 0 on in turn, until the rank is told to rest. */
    private String work(int keys) {
        LongLongMap counts = map();
        working = true;
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                outcome.complete(work(keys, counts));
            } catch (Throwable failure) {
                outcome.completeExceptionally(failure);
            }
        });
        work = outcome;
        return "working";
    }

    private String work(int keys, LongLongMap counts) {
        long done = 0;
        SortedMap<String, Long> failures = new TreeMap<>();
        for (long step = 0; working; step++) {
            long key = step % keys;
            try {
                counts.addAndGet(key, 1);
                done++;
            } catch (FencedException fenced) {
                return "fenced";
            } catch (AtollException failure) {
                failures.merge(failure.getClass().getSimpleName(), 1L, Long::sum);
            }
        }
        return done + " " + String.join(",", failures.keySet());
    }

    /** Returns how many increments succeeded, and how the others failed. */
    private String rest() {
        working = false;
        if (work == null) {
            throw new IllegalStateException("nothing is to be done");
        }
        return work.join();
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
