package io.atoll.peers;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The same work by TCP, by shared memory, by Redis and by Hazelcast. Each of them has a process that calls, and another
 * one that owns what is called for. Each of them takes a turn before the next work begins.
 */
final class Comparison {

    private final Rounds rounds;
    private final List<Structures> structures;

    /** A map and a queue of Atoll. */
    record Structures(String map, String queue, CallingProcess.Caller tcp, CallingProcess.Caller sharedMemory) {

        private String of(Work work) {
            return work == Work.PUSH || work == Work.POP ? queue : map;
        }
    }

    /** @param redis null if it is left out */
    Comparison(Rounds rounds, List<Structures> structures, CallingProcess.@Nullable Caller redis,
            CallingProcess.Caller hazelcast) {
        this.rounds = rounds;
        this.structures = structures;
        for (Work work : Work.values()) {
            for (Structures each : structures) {
                rounds.addMedian(tcp(each.of(work), work), each.tcp.median(work));
                rounds.addMedian(sharedMemory(each.of(work), work), each.sharedMemory.median(work));
            }
            if (redis != null) {
                rounds.addMedian(redis(work), redis.median(work));
            }
            rounds.addMedian(hazelcast(work), hazelcast.median(work));
        }
    }

    /** Returns the name of the result. */
    String tcp(String structure, Work work) {
        return "TCP, " + structure + ", " + work;
    }

    /** Returns the name of the result. */
    String sharedMemory(String structure, Work work) {
        return "shared memory, " + structure + ", " + work;
    }

    private static String redis(Work work) {
        return "Redis, bare, " + work.command() + " for " + work;
    }

    private static String hazelcast(Work work) {
        return "Hazelcast, " + work;
    }

    void show() {
        IO.println("");
        IO.println("%-18s %-26s %8s %8s %8s %10s %18s %22s".formatted("us", "", "TCP", "shared", "Redis", "Hazelcast",
                "Redis / TCP", "Hazelcast / TCP"));
        structures.forEach(each -> List.of(Work.values()).forEach(work -> show(each.of(work), work)));
    }

    private void show(String structure, Work work) {
        double tcp = rounds.result(tcp(structure, work));
        double byRedis = rounds.result(redis(work));
        double byHazelcast = rounds.result(hazelcast(work));
        IO.println("%-18s %-26s %8.2f %8.2f %8.2f %10.2f %s %s".formatted(structure, work, tcp,
                rounds.result(sharedMemory(structure, work)), byRedis, byHazelcast,
                ratio(byRedis / tcp, work.leastOfRedis()), ratio(byHazelcast / tcp, work.leastOfHazelcast())));
    }

    private static String ratio(double found, double least) {
        return "%6.2f >= %-4s %-6s".formatted(found, least, found < least ? "MISSED" : "");
    }
}
