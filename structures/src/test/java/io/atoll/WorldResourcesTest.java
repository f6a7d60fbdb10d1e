package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.Acquisition;
import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import io.atoll.world.hazelcast.FreePorts;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that opens and closes worlds over and over has in the end what it had before: in a process of its own, where nothing else is counted. */
@Tag("processes")
class WorldResourcesTest {

    private static final int PARTS = 4;

    /** What is opened and closed over and over. */
    enum Kind {
        FILES(400, 2_048), MEMORY(400, 2_048), RANKS(120, 8_192), HAZELCAST(8, 1 << 20);

        private final int rounds;
        private final long bytes; // what remains of a round, on average, is less

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
                case HAZELCAST -> world.fabric(Fabrics.sharedMemory(folder, false))
                        .membership(new HazelcastMembership(HazelcastSettings.defaults().withPort(port)));
            };
        }
    }

    @TempDir
    Path folder;

    /** Opens and closes worlds, and tells what the process has. */
    static final class Opening implements Program {

        // What is allocated for compiled code comes and goes with the compiler's moods.
        private static final Set<String> COMPILED = Set.of("Code", "Compiler", "Arena Chunk", "Native Memory Tracking");
        private static final Pattern CATEGORY = Pattern.compile("-\\s+([A-Za-z ]+) \\(reserved[^-]*?malloc=(\\d+)KB");

        @Override
        public String obey(String command, List<String> arguments) throws Exception {
            return switch (command) {
                case "open" -> open(Kind.valueOf(arguments.get(0)), Path.of(arguments.get(1)),
                        Integer.parseInt(arguments.get(2)), Integer.parseInt(arguments.get(3)));
                case "figures" -> figures();
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

        private static String figures() throws IOException, JMException {
            System.gc();
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                return threads + " " + descriptors.count() + " " + classes + " " + nativeKibibytes();
            }
        }

        private static long nativeKibibytes() throws JMException {
            String summary = (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
                            new Object[]{new String[]{"summary"}}, new String[]{String[].class.getName()});
            List<MatchResult> categories = CATEGORY.matcher(summary).results().toList();
            if (categories.size() < 5) {
                throw new IllegalStateException("the virtual machine tells its memory in another form: " + summary);
            }
            return categories.stream()
                    .filter(category -> !COMPILED.contains(category.group(1).strip()))
                    .mapToLong(category -> Long.parseLong(category.group(2)))
                    .sum();
        }

        @Override
        public void close() {
            // Every world is closed.
        }
    }

    private static long[] figures(ChildProcess process) {
        process.ask("figures"); // what asking takes itself is there the second time
        return Stream.of(process.ask("figures").split(" ")).mapToLong(Long::parseLong).toArray();
    }

    @ParameterizedTest
    @EnumSource
    void whatWorldsTakeTheyGiveBack(Kind kind) throws IOException {
        int port = FreePorts.range(10);
        try (ChildProcess process = ChildProcess.start(Opening.class, "-XX:NativeMemoryTracking=summary")) {
            open(process, kind, port);
            long[] before = figures(process);
            open(process, kind, port);
            long[] after = figures(process);
            assertThat(after[0]).as("threads").isLessThanOrEqualTo(before[0]);
            assertThat(after[1]).as("descriptors").isLessThanOrEqualTo(before[1]);
            assertThat(after[2] - before[2]).as("classes, of %d rounds", kind.rounds)
                    .isLessThan(Math.max(100, kind.rounds / 4));
            assertThat((after[3] - before[3]) * 1024).as("native memory, of %d rounds", kind.rounds)
                    .isLessThan(kind.rounds * kind.bytes);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private void open(ChildProcess process, Kind kind, int port) {
        for (int part = 0; part < PARTS; part++) {
            process.ask("open " + kind + " " + folder + " " + port + " " + kind.rounds / PARTS);
        }
    }
}
