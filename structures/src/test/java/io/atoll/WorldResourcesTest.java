package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.Acquisition;
import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that opens and closes worlds over and over has in the end what it had before: in a process of its own, where nothing else is counted. */
@Tag("processes")
class WorldResourcesTest {

    private static final int ROUNDS = 400;
    private static final int BYTES_A_WORLD = 2_048; // what remains of one, on average, is less

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
                case "open" -> open(Path.of(arguments.getFirst()), Integer.parseInt(arguments.get(1)));
                case "figures" -> figures();
                default -> throw new IllegalArgumentException("no such command: command=" + command);
            };
        }

        private static String open(Path folder, int times) throws InterruptedException {
            for (int time = 0; time < times; time++) {
                try (World world = World.named("resources")
                        .segment(1 << 20)
                        .fabric(Fabrics.sharedMemory(folder, false))
                        .open()) {
                    world.longMap("hits").capacity(100).open().increment(1, 1);
                    try (Acquisition _ = world.lockTable("locks").open().lockAt(3)) {
                        world.epochs().tryReclaim();
                    }
                }
            }
            return "closed";
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

    @Test
    void whatWorldsTakeTheyGiveBack() throws IOException {
        try (ChildProcess process = ChildProcess.start(Opening.class, "-XX:NativeMemoryTracking=summary")) {
            open(process);
            long[] before = figures(process);
            open(process);
            long[] after = figures(process);
            assertThat(after[0]).as("threads").isLessThanOrEqualTo(before[0]);
            assertThat(after[1]).as("descriptors").isLessThanOrEqualTo(before[1]);
            assertThat(after[2] - before[2]).as("classes, of %d worlds", ROUNDS).isLessThan(ROUNDS / 4);
            assertThat((after[3] - before[3]) * 1024).as("native memory, of %d worlds", ROUNDS)
                    .isLessThan(ROUNDS * BYTES_A_WORLD);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private void open(ChildProcess process) {
        for (int part = 0; part < 8; part++) {
            process.ask("open " + folder + " " + ROUNDS / 8);
        }
    }
}
