package io.atoll;

import static org.awaitility.Awaitility.await;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.process.Program;
import io.atoll.world.OnLoss;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A rank that counts in a map whose lost parts begin empty. */
final class LostSegmentProgram implements Program {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private @Nullable World world;
    private @Nullable LongLongMap map;
    private @Nullable MapLoad load;

    /**
     * Commands: {@code join FOLDER SIZE RANK [ADDRESSES]}, by shared memory without addresses; {@code open};
     * {@code count OWNER} returns the count of a key of that rank, and how long that took; {@code load} begins to use
     * maps all the time; {@code await} returns when each rank has been used since; {@code unload} ends the load and
     * reports its result.
     */
    @Override
    public String obey(String command, List<String> arguments) throws InterruptedException {
        return switch (command) {
            case "join" -> join(fabric(Path.of(arguments.get(0)), arguments.subList(3, arguments.size())),
                    arguments.get(1), arguments.get(2));
            case "open" -> open();
            case "load" -> {
                load = new MapLoad(world, map);
                yield "";
            }
            case "await" -> load.awaitAll();
            case "unload" -> load.end();
            default -> count(Integer.parseInt(arguments.getFirst()));
        };
    }

    static FabricType fabric(Path folder, List<String> addresses) {
        FabricType memory = Fabrics.sharedMemory(folder, true);
        return addresses.isEmpty()
                ? memory
                : new Tcp(memory).security(Security.none())
                        .at(addresses.stream().map(Addresses::parse).toList());
    }

    private String join(FabricType fabric, String size, String rank) {
        world = joined(fabric, size, rank);
        return String.valueOf(world.incarnation());
    }

    static World joined(FabricType fabric, String size, String rank) {
        return World.named("lossy")
                .fabric(fabric)
                .size(Integer.parseInt(size))
                .rank(Integer.parseInt(rank))
                .segment(4 << 20)
                .joinTimeout(Duration.ofSeconds(60))
                .open();
    }

    private String open() {
        map = world.longMap("hits").onLoss(OnLoss.EMPTY).open();
        return "";
    }

    private String count(int owner) {
        long began = System.nanoTime();
        long counted = await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(RankUnreachableException.class)
                .until(() -> map.addAndGet(keyOf(owner), 1), _ -> true);
        return counted + " " + Duration.ofNanos(System.nanoTime() - began).toMillis();
    }

    /** Returns a key of the owner. May have to open the map anew for that. */
    private long keyOf(int owner) {
        return keyOf(map, 0, owner);
    }

    /** Returns the first key of the owner, from the given key on. */
    static long keyOf(LongLongMap map, long from, int owner) {
        return LongStream.iterate(from, next -> next + 1)
                .filter(next -> map.owner(next) == owner)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
