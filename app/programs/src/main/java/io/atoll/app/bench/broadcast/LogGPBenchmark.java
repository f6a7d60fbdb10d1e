package io.atoll.app.bench.broadcast;

import io.atoll.World;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.collective.LogGP;

/**
 * The work of the ranks: they measure again and again what sending costs.
 *
 * @param regionBytes the size of the memory from which pieces are sent
 */
record LogGPBenchmark(long regionBytes, Rounds rounds) implements JobRank.Program {

    static final String LATENCY = "L, latency";
    static final String OVERHEAD = "o, overhead";
    static final String GAP = "g, gap";
    static final String GAP_PER_BYTE = "G, gap per 1024 bytes";
    static final String RECEIVE_OVERHEAD = "o_r, receive overhead";

    /**
     * The number of bytes for which {@link #GAP_PER_BYTE} is reported. The time of one byte is too small for a table.
     */
    static final double BYTES = 1024;

    private static final long SPARE_BYTES = 16 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(regionBytes + SPARE_BYTES);
        for (int round = 0; round < rounds.warmups() + rounds.runs(); round++) {
            LogGP costs = world.collectives().measureCosts(regionBytes);
            if (rank.rank() == 0 && round >= rounds.warmups()) {
                print(rank, LATENCY, costs.latency());
                print(rank, OVERHEAD, costs.overhead());
                print(rank, GAP, costs.gap());
                print(rank, GAP_PER_BYTE, costs.gapPerByte() * BYTES);
                print(rank, RECEIVE_OVERHEAD, costs.receiveOverhead());
            }
        }
        world.barrier();
    }

    private static void print(JobRank rank, String name, double nanos) {
        rank.print(name + '\t' + nanos + "\tns");
    }

    /** Returns the medians of the printed values. */
    static LogGP costs(Report report) {
        return new LogGP(median(report, LATENCY), median(report, OVERHEAD), median(report, GAP),
                median(report, GAP_PER_BYTE) / BYTES, median(report, RECEIVE_OVERHEAD));
    }

    private static double median(Report report, String name) {
        return report.measurements()
                .stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow()
                .median();
    }
}
