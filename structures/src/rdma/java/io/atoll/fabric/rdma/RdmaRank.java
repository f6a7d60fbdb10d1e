package io.atoll.fabric.rdma;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rank that reaches the others by RDMA, and uses the structures that its test names. */
final class RdmaRank implements Program {

    private static final Duration PATIENCE = Duration.ofSeconds(400);

    private @Nullable World world;

    /** @param addresses of all ranks; empty if they are on one host */
    static World open(Path folder, int size, int rank, List<String> addresses) {
        return World.named("verbs-ranks")
                .size(size)
                .rank(rank)
                .segment(8 << 20)
                .joinTimeout(PATIENCE)
                .fabric(new Rdma(Fabrics.sharedMemory(folder, false))
                        .at(addresses.stream().map(Rdma::address).toList()))
                .open();
    }

    /** The command {@code open FOLDER SIZE RANK ADDRESS...}, then {@code use NAME} any number of times. */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        if (command.equals("open")) {
            World opened = open(Path.of(arguments.get(0)), Integer.parseInt(arguments.get(1)),
                    Integer.parseInt(arguments.get(2)), arguments.subList(3, arguments.size()));
            world = opened;
            return opened.fabric();
        }
        World joined = opened();
        try {
            StructureUse.valueOf(arguments.getFirst()).of(joined);
        } catch (AssertionError wrong) {
            throw new IllegalStateException(String.valueOf(wrong.getMessage()), wrong);
        }
        joined.barrier();
        return "used";
    }

    private World opened() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
