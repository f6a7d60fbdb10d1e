package io.atoll.app.bench.lock;

import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Report.Measurement;
import io.atoll.app.plot.Axis;
import io.atoll.app.plot.Axis.Scale;
import io.atoll.app.plot.Line;
import io.atoll.app.plot.Plot;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Puts together what the ranks of {@link LocksBenchmark} have printed. */
final class LocksFigures {

    private static final double[] PERCENTILES = {50, 99, 99.9};
    private static final double SECOND_NANOS = 1e9;

    /** One kind of lock at one locality. */
    private static final class Combination {

        private final String algorithm;
        private final int locality;
        // The rate of all ranks, by round.
        private final TreeMap<Integer, Double> perSecond = new TreeMap<>();
        // The latencies, by round.
        private final TreeMap<Integer, Histogram> latencies = new TreeMap<>();

        private Combination(String algorithm, int locality) {
            this.algorithm = algorithm;
            this.locality = locality;
        }

        private void add(int round, double nanos, Histogram part) {
            perSecond.merge(round, part.getTotalCount() / nanos * SECOND_NANOS, Double::sum);
            latencies.computeIfAbsent(round, _ -> LocksBenchmark.histogram()).add(part);
        }

        private String name() {
            return algorithm.toLowerCase(Locale.ROOT) + ", " + locality + " % local";
        }

        private List<Measurement> measurements() {
            List<Measurement> measurements = new ArrayList<>();
            measurements.add(Measurement.of(name() + ", throughput", "acquisitions/s", values(perSecond)));
            for (double percentile : PERCENTILES) {
                measurements.add(Measurement.of(name() + String.format(Locale.ROOT, ", %.1f %%", percentile), "ns",
                        latencies.values()
                                .stream()
                                .mapToDouble(each -> each.getValueAtPercentile(percentile))
                                .toArray()));
            }
            return measurements;
        }

        private double throughput() {
            return measurements().getFirst().median();
        }

        private static double[] values(TreeMap<Integer, Double> byRound) {
            return byRound.values().stream().mapToDouble(Double::doubleValue).toArray();
        }

        /** Returns the share of acquisitions, in percent, by the most time that they took. */
        private TreeMap<Double, Double> distribution() {
            Histogram all = LocksBenchmark.histogram();
            latencies.values().forEach(all::add);
            TreeMap<Double, Double> distribution = new TreeMap<>();
            for (double percent = 1; percent < 100; percent++) {
                distribution.put((double) Math.max(1, all.getValueAtPercentile(percent)), percent);
            }
            return distribution;
        }
    }

    private final List<Combination> combinations = new ArrayList<>();

    LocksFigures(List<String> lines) {
        for (String line : lines) {
            String[] parts = line.split("\t");
            combination(parts[0], Integer.parseInt(parts[1])).add(Integer.parseInt(parts[2]),
                    Double.parseDouble(parts[3]), decoded(parts[4]));
        }
    }

    private Combination combination(String algorithm, int locality) {
        for (Combination each : combinations) {
            if (each.algorithm.equals(algorithm) && each.locality == locality) {
                return each;
            }
        }
        combinations.add(new Combination(algorithm, locality));
        return combinations.getLast();
    }

    private static Histogram decoded(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException wrong) {
            throw new IllegalArgumentException("a rank has printed no histogram: text=" + text, wrong);
        }
    }

    Report report(Map<String, String> parameters) {
        List<Measurement> measurements = new ArrayList<>();
        combinations.forEach(each -> measurements.addAll(each.measurements()));
        return new Report("locks", parameters, measurements);
    }

    /** Plots acquisitions a second, by locality (ALock, figure 5). */
    Plot throughput(String locks) {
        Map<String, TreeMap<Double, Double>> points = new TreeMap<>();
        combinations.forEach(each -> points.computeIfAbsent(each.algorithm, _ -> new TreeMap<>())
                .put((double) each.locality, each.throughput()));
        return new Plot("Acquisitions of " + locks,
                percent("of them local"),
                Axis.perSecond("of all ranks together"),
                lines(points));
    }

    /**
     * Plots the share of acquisitions against the most time that they took, at the first locality (ALock, figure 6).
     */
    Plot latencies(String locks) {
        int locality = combinations.getFirst().locality;
        Map<String, TreeMap<Double, Double>> points = new TreeMap<>();
        combinations.stream()
                .filter(each -> each.locality == locality)
                .forEach(each -> points.put(each.algorithm, each.distribution()));
        return new Plot("Latency, " + locality + " % local, of " + locks,
                Axis.nanos("took at most"),
                percent("of all"), lines(points));
    }

    private static Axis percent(String title) {
        return new Axis(title, Scale.LINEAR, value -> String.format(Locale.ROOT, "%.0f %%", value));
    }

    private static List<Line> lines(Map<String, TreeMap<Double, Double>> points) {
        List<Line> lines = new ArrayList<>();
        points.forEach((algorithm, line) -> lines.add(
                Line.measured(algorithm.toLowerCase(Locale.ROOT), lines.size(), line)));
        return lines;
    }
}
