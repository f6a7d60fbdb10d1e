package io.atoll.map;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.FixedHash;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rank 1 of a world. Until it is killed, it counts ascending numbers, twice each, in a map that was opened far too
 * small.
 */
final class GrowerProgram implements Program {

    /** The numbers of an incarnation begin with the incarnation. */
    static final long PER_INCARNATION = 1_000_000_000;

    private @Nullable World world;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        World joined = World.named("growth")
                .keySeed(FixedHash.SEED)
                .size(2)
                .rank(1)
                .segment(GrowthProcessesTest.SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(Path.of(arguments.getFirst()), false))
                .join(Duration.ofSeconds(30));
        world = joined;
        CountingMap map = CountingMap.Kind.valueOf(arguments.get(1)).open(joined);
        Thread.ofPlatform().daemon().start(() -> count(map, joined.incarnation() * PER_INCARNATION));
        return "" + joined.incarnation();
    }

    private static void count(CountingMap map, long first) {
        GrowthProcessesTest.keys(first, GrowthProcessesTest.KEYS).forEach(number -> {
            map.increment(number);
            map.increment(number);
        });
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
