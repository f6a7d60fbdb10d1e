package io.atoll.peers;

import io.atoll.process.ChildProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The same work by TCP, by shared memory, by Redis and by Hazelcast. Each of them has a process that calls, and another
 * one that owns what is called for. Each of them takes a turn before the next work begins.
 */
final class Comparison {

    // The names of subjects.
    static final String REDIS = "Redis";
    static final String LETTUCE = "Lettuce";
    static final String HAZELCAST = "Hazelcast";

    private final Rounds rounds;
    private final List<Structures> structures;

    /** A map and a queue of Atoll. */
    record Structures(String map, String queue, CallingProcess.Caller tcp, CallingProcess.Caller sharedMemory) {

        private String of(Work work) {
            return work == Work.PUSH || work == Work.POP ? queue : map;
        }
    }

    /** @param redis null if it is left out */
    Comparison(Rounds rounds, List<Structures> structures, @Nullable ChildProcess redis, ChildProcess hazelcast) {
        this.rounds = rounds;
        this.structures = structures;
        for (Work work : Work.values()) {
            for (Structures each : structures) {
                rounds.addMedian(tcp(each.of(work), work), each.tcp.median(work));
                rounds.addMedian(sharedMemory(each.of(work), work), each.sharedMemory.median(work));
            }
            if (redis != null) {
                add(redis, REDIS, work);
                add(redis, LETTUCE, work);
            }
            add(hazelcast, HAZELCAST, work);
        }
    }

    private void add(ChildProcess calling, String subject, Work work) {
        rounds.addMedian(other(subject, work), new CallingProcess.Caller(calling, subject).median(work));
    }

    /** Returns the name of the result. */
    String tcp(String structure, Work work) {
        return "TCP, " + structure + ", " + work;
    }

    /** Returns the name of the result. */
    String sharedMemory(String structure, Work work) {
        return "shared memory, " + structure + ", " + work;
    }

    private static String other(String subject, Work work) {
        return subject + ", " + work;
    }

    /** Returns the time of an operation of another subject, in microseconds. */
    double result(String subject, Work work) {
        return rounds.result(other(subject, work));
    }

    void show() {
        IO.println("");
        IO.println(
                "%-18s %-26s %8s %8s %8s %8s %9s %18s %9s %18s".formatted("us", "", "TCP", "shared", "Redis", "Lettuce",
                        "Hazelcast", "Redis / TCP", "Lettuce", "Hazelcast / TCP"));
        structures.forEach(each -> List.of(Work.values()).forEach(work -> show(each.of(work), work)));
    }

    private void show(String structure, Work work) {
        double tcp = rounds.result(tcp(structure, work));
        double redis = result(REDIS, work);
        double lettuce = result(LETTUCE, work);
        double hazelcast = result(HAZELCAST, work);
        IO.println("%-18s %-26s %8.2f %8.2f %8.2f %8.2f %9.2f %s %9.2f %s".formatted(structure, work, tcp,
                rounds.result(sharedMemory(structure, work)), redis, lettuce, hazelcast,
                ratio(redis / tcp, work.leastOfRedis()), lettuce / tcp,
                ratio(hazelcast / tcp, work.leastOfHazelcast())));
    }

    private static String ratio(double found, double least) {
        return "%6.2f >= %-3s %-6s".formatted(found, least, found < least ? "MISSED" : "");
    }
}
