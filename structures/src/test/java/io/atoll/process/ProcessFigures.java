package io.atoll.process;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The resources of a process. A test compares them to see if something is left of what the process has done.
 *
 * @param heapBytes the bytes in use after a garbage collection
 * @param directBytes the bytes of direct buffers
 * @param kibibytes the KiB of each category that the virtual machine allocates; empty unless the process was started
 * with {@link #OPTION}
 */
public record ProcessFigures(long heapBytes, long directBytes, long threads, long descriptors, long classes,
        Map<String, Long> kibibytes) {

    /** The option that makes a JVM count what it allocates. */
    public static final String OPTION = "-XX:NativeMemoryTracking=summary";

    private static final int NUMBERS = 5;

    // The number of collections in a row that gave nothing back. A cleaner is another thread, and may be late.
    private static final int SETTLED = 5;

    // The virtual machine gives these back when it likes: compiled code, and the monitors of dead objects. Thousands of
    // such monitors may wait a minute. If a monitor is never given back, its object shows in the heap.
    private static final Set<String> KEPT = Set.of("Code", "Compiler", "Arena Chunk", "Native Memory Tracking",
            "Object Monitors");
    private static final Pattern CATEGORY = Pattern.compile("-\\s+([A-Za-z ]+) \\(reserved[^-]*?malloc=(\\d+)KB");

    /**
     * Asks a process until it gives back no more. The program of the process must answer the command "figures" by
     * {@link #tell}. What cleaners free may make more memory free, which takes the next collection. What the question
     * itself allocates is there from the second question on.
     */
    public static ProcessFigures of(ChildProcess process) {
        ProcessFigures last = ask(process);
        for (int same = 0; same < SETTLED;) {
            ProcessFigures next = ask(process);
            same = next.directBytes < last.directBytes ? 0 : same + 1;
            last = next;
        }
        return last;
    }

    private static ProcessFigures ask(ChildProcess process) {
        List<String> words = List.of(process.ask("figures").split(" "));
        long[] numbers = words.stream().limit(NUMBERS).mapToLong(Long::parseLong).toArray();
        Map<String, Long> kibibytes = new TreeMap<>();
        for (String word : words.subList(NUMBERS, words.size())) {
            kibibytes.put(word.substring(0, word.indexOf('=')), Long.valueOf(word.substring(word.indexOf('=') + 1)));
        }
        return new ProcessFigures(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], kibibytes);
    }

    /** Returns what the virtual machine has allocated itself. */
    public long nativeBytes() {
        return 1024 * kibibytes.values().stream().mapToLong(Long::longValue).sum();
    }

    // --- in the process itself ---

    /** Returns the figures of this process, as text for the process that asks. */
    public static String tell() throws IOException, JMException {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
                .stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return heap + " " + direct + " " + threads + " " + descriptors.count() + " " + classes + nativeMemory();
        }
    }

    private static String nativeMemory() throws JMException {
        if (!ManagementFactory.getRuntimeMXBean().getInputArguments().contains(OPTION)) {
            return "";
        }
        String summary = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
                        new Object[]{new String[]{"summary"}}, new String[]{String[].class.getName()});
        List<MatchResult> categories = CATEGORY.matcher(summary).results().toList();
        if (categories.size() < NUMBERS) {
            throw new IllegalStateException("the virtual machine tells its memory in another form: " + summary);
        }
        return categories.stream()
                .filter(category -> !KEPT.contains(category.group(1).strip()))
                .map(category -> " " + category.group(1).strip().replace(' ', '-') + "=" + category.group(2))
                .collect(Collectors.joining());
    }
}
