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
 * What a process has, so that a test sees whether something is left of what it has done.
 *
 * @param heapBytes in use after a garbage collection
 * @param directBytes of direct buffers
 * @param kibibytes of each category that the virtual machine allocates; none unless the process was started with {@link
 * #OPTION}
 */
public record ProcessFigures(long heapBytes, long directBytes, long threads, long descriptors, long classes,
        Map<String, Long> kibibytes) {

    /** By which a JVM counts what it allocates. */
    public static final String OPTION = "-XX:NativeMemoryTracking=summary";

    private static final int NUMBERS = 5;

    // Collections in a row after which nothing was given back: a cleaner is another thread, and may be late.
    private static final int SETTLED = 5;

    // What the virtual machine keeps and gives back when it likes: compiled code, and the monitors of objects that are
    // gone, thousands of which may wait a minute. A monitor that is not given back shows its object in the heap.
    private static final Set<String> KEPT = Set.of("Code", "Compiler", "Arena Chunk", "Native Memory Tracking",
            "Object Monitors");
    private static final Pattern CATEGORY = Pattern.compile("-\\s+([A-Za-z ]+) \\(reserved[^-]*?malloc=(\\d+)KB");

    /**
     * Asks a process whose program answers the command "figures" by {@link #tell}, until it gives back no more. What cleaners give back may let go of more, which takes the
     * next collection; and what asking takes itself is there the second time.
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

    /** Returns the figures of this process, for one that asks. */
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
