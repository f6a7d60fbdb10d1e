package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.Acquisition;
import io.atoll.process.ChildProcess;
import io.atoll.process.ProcessFigures;
import io.atoll.process.Program;
import io.atoll.world.hazelcast.FreePorts;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Compares a process before and after it opens and closes worlds over and over. The process is a separate one, so that
 * only its worlds count.
 */
public final class WorldResources {

    private static final int PARTS = 8;

    /** The kinds of worlds that are opened and closed. */
    public enum Kind {
        FILES(400, 2_048), MEMORY(400, 2_048), RANKS(120, 8_192), HAZELCAST(8, 1 << 20), VERBS(8, 1 << 17);

        private final int rounds;
        // On average a round leaves fewer bytes than this.
        private final long bytes;

        Kind(int rounds, long bytes) {
            this.rounds = rounds;
            this.bytes = bytes;
        }

        private int ranks() {
            return this == FILES || this == MEMORY ? 1 : 2;
        }

        private WorldBuilder world(Path folder, int rank, int port) {
            WorldBuilder world = World.named("resources").size(ranks()).rank(rank).segment(1 << 20);
            return switch (this) {
                case MEMORY -> world;
                case FILES, RANKS -> world.fabric(Fabrics.sharedMemory(folder, false));
                case VERBS -> world.fabric(Fabrics.verbs()).joinTimeout(Duration.ofSeconds(60));
                case HAZELCAST -> world.fabric(Fabrics.sharedMemory(folder, false))
                        .membership(new HazelcastMembership(HazelcastSettings.defaults().withPort(port)));
            };
        }
    }

    private WorldResources() {}

    /** Opens and closes worlds, and tells what the process has. */
    static final class Opening implements Program {

        @Override
        public String obey(String command, List<String> arguments) throws Exception {
            return switch (command) {
                case "open" -> open(Kind.valueOf(arguments.get(0)), Path.of(arguments.get(1)),
                        Integer.parseInt(arguments.get(2)), Integer.parseInt(arguments.get(3)));
                case "figures" -> ProcessFigures.tell();
                default -> throw new IllegalArgumentException("no such command: command=" + command);
            };
        }

        private static String open(Kind kind, Path folder, int port, int times) throws InterruptedException {
            for (int time = 0; time < times; time++) {
                List<World> worlds = new ArrayList<>();
                try {
                    for (int rank = 0; rank < kind.ranks(); rank++) {
                        worlds.add(kind.world(folder, rank, port).open());
                    }
                    for (World world : worlds) {
                        use(world);
                    }
                } finally {
                    worlds.forEach(World::close);
                }
            }
            return "closed";
        }

        private static void use(World world) throws InterruptedException {
            world.longMap("hits").capacity(100).open().increment(1, 1);
            try (Acquisition _ = world.lockTable("locks").open().lockAt(3)) {
                world.epochs().tryReclaim();
            }
        }

        @Override
        public void close() {
            // Every world is closed.
        }
    }

    /** Fails if the resources of such worlds are not all given back. The folder must be empty before. */
    public static void assertAreGivenBack(Kind kind, Path folder) throws IOException {
        int port = FreePorts.range(10);
        try (ChildProcess process = ChildProcess.start(Opening.class, ProcessFigures.OPTION)) {
            open(process, kind, folder, port);
            ProcessFigures before = ProcessFigures.of(process);
            open(process, kind, folder, port);
            ProcessFigures after = ProcessFigures.of(process);
            assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads());
            assertThat(after.descriptors()).as("descriptors").isLessThanOrEqualTo(before.descriptors());
            assertThat(after.classes() - before.classes()).as("classes, of %d rounds", kind.rounds)
                    .isLessThan(Math.max(100, kind.rounds / 4));
            assertThat(after.nativeBytes() - before.nativeBytes())
                    .as("native memory, of %d rounds: before=%s after=%s", kind.rounds, before, after)
                    .isLessThan(kind.rounds * kind.bytes);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private static void open(ChildProcess process, Kind kind, Path folder, int port) {
        for (int part = 0; part < PARTS; part++) {
            process.ask("open " + kind + " " + folder + " " + port + " " + kind.rounds / PARTS);
        }
    }
}
