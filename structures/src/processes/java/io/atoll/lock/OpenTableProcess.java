package io.atoll.lock;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A world of one rank that opens a table of locks, and acquires none. */
final class OpenTableProcess implements Program {

    private final List<World> worlds = new ArrayList<>();

    /** {@code open FOLDER ALGORITHM} */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        World world = World.named("open")
                .size(1)
                .rank(0)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(Path.of(arguments.get(0)), false))
                .open();
        worlds.add(world);
        LockTable table = world.lockTable("locks")
                .algorithm(LockAlgorithm.valueOf(arguments.get(1)))
                .locks(1)
                .open();
        return "owner=" + table.owner(0);
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
    }
}
