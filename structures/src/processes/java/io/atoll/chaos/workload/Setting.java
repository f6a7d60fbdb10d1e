package io.atoll.chaos.workload;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How a process takes part in a world, as its coordinator tells it.
 *
 * @param process its number among all processes of this world, from 0; no two have the same
 * @param begin of the world, by {@link System#nanoTime}; the keys that are in use change with time
 * @param port of Hazelcast's first member, or 0 without Hazelcast
 * @param fabric {@link #SHARED_MEMORY}, {@link #TCP}, or the addresses of all ranks, which then reach each other by TCP
 * @param cast the structures that are used, separated by commas; empty for all
 * @param largestText the greatest length of texts
 * @param pressed true if segments are kept full most of the time
 * @param interrupts true if threads are interrupted at random
 * @param errors true if errors and failing functions are injected
 * @param reduces true if a thread of each rank reduces all the time, in the place of buffers that flush
 */
public record Setting(Path folder, Path history, int size, int rank, int process, long seed, long begin,
        long segmentBytes, int port, String fabric, String cast, int largestText, boolean pressed, boolean interrupts,
        boolean errors, boolean reduces) {

    public static final String SHARED_MEMORY = "shared-memory";
    public static final String TCP = "tcp";
    public static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(3);
    public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(3);

    /** Returns where each rank listens; empty if the setting has no addresses. */
    public List<InetSocketAddress> addresses() {
        return fabric.contains(":")
                ? Stream.of(fabric.split(",")).map(Setting::address).toList()
                : List.of();
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return InetSocketAddress.createUnresolved(text.substring(0, colon),
                Integer.parseInt(text.substring(colon + 1)));
    }

    /** Returns true if that structure is used. */
    public boolean isUsed(String structure) {
        return cast.isEmpty() || List.of(cast.split(",")).contains(structure);
    }

    /** Returns the setting as words of a command. */
    public List<String> words() {
        return List.of("folder=" + folder, "history=" + history, "size=" + size, "rank=" + rank,
                "process=" + process, "seed=" + seed, "begin=" + begin, "segmentBytes=" + segmentBytes,
                "port=" + port, "fabric=" + fabric, "cast=" + cast, "largestText=" + largestText, "pressed=" + pressed,
                "interrupts=" + interrupts, "errors=" + errors, "reduces=" + reduces);
    }

    /** Returns the setting of these words. */
    public static Setting of(List<String> words) {
        Map<String, String> told = new HashMap<>();
        for (String word : new ArrayList<>(words)) {
            String[] parts = word.split("=", 2);
            told.put(parts[0], parts[1]);
        }
        return new Setting(Path.of(told.get("folder")), Path.of(told.get("history")), number(told, "size"),
                number(told, "rank"), number(told, "process"), Long.parseLong(told.get("seed")),
                Long.parseLong(told.get("begin")), Long.parseLong(told.get("segmentBytes")), number(told, "port"),
                told.get("fabric"), told.get("cast"), number(told, "largestText"),
                Boolean.parseBoolean(told.get("pressed")),
                Boolean.parseBoolean(told.get("interrupts")), Boolean.parseBoolean(told.get("errors")),
                Boolean.parseBoolean(told.get("reduces")));
    }

    private static int number(Map<String, String> told, String name) {
        return Integer.parseInt(told.get(name));
    }
}
