package io.atoll.app.bench.broadcast;

import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Report.Measurement;
import io.atoll.app.bench.measurement.Sizes;
import io.atoll.app.plot.Axis;
import io.atoll.app.plot.Line;
import io.atoll.app.plot.Plot;
import io.atoll.collective.Algorithm;
import io.atoll.collective.BroadcastSimulation;
import io.atoll.collective.Crossover;
import io.atoll.collective.LogGP;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Simulates broadcasts to more ranks than this machine has, event by event, from what sending costs. Finds the number
 * of ranks from which on the tree is faster. Shows it beside the number that Paznikov saw.
 *
 * @param mostRanks the largest number of ranks; all powers of 2 up to it are simulated
 */
record SimulatedBroadcasts(LogGP costs, List<Long> sizes, int mostRanks) {

    /** A crossover in the paper: the number of ranks at which the tree began to be faster (section 4). */
    private record Seen(String network, long bytes, int ranks) {}

    private static final List<Seen> SEEN = List.of(new Seen("InfiniBand", 10 << 20, 32),
            new Seen("InfiniBand", 16 << 20, 24), new Seen("Ethernet", 16 << 10, 80),
            new Seen("Ethernet", 34 << 10, 32));

    private static final int MOST_SIMULATED_ONE_BY_ONE = 512;

    private IntStream ranks() {
        return IntStream.iterate(2, ranks -> ranks <= mostRanks, ranks -> 2 * ranks);
    }

    private double simulatedNanos(Algorithm algorithm, int ranks, long bytes) {
        return BroadcastSimulation.run(costs, algorithm, ranks, bytes).completedNanos();
    }

    /** Returns a row for each algorithm, size and number of ranks, then a few for each crossover. */
    List<Measurement> measurements() {
        List<Measurement> rows = new ArrayList<>();
        for (long bytes : sizes) {
            for (Algorithm algorithm : Algorithm.values()) {
                ranks().mapToObj(ranks -> Measurement.of(
                        name(algorithm) + ", " + ranks + " ranks, " + Sizes.text(bytes) + ", simulated",
                        BroadcastBenchmark.UNIT, simulatedNanos(algorithm, ranks, bytes) / 1_000)).forEach(rows::add);
            }
        }
        SEEN.forEach(seen -> crossovers(seen).forEach(rows::add));
        return rows;
    }

    private Stream<Measurement> crossovers(Seen seen) {
        String what = "tree is faster, " + Sizes.text(seen.bytes());
        return Stream.of(
                crossover(what + ", by the formulas", Crossover.ranks(costs, seen.bytes(), mostRanks)),
                crossover(what + ", simulated", simulatedCrossover(seen.bytes())),
                crossover(what + ", " + seen.network() + " of the paper", OptionalInt.of(seen.ranks())))
                .flatMap(List::stream);
    }

    /** Returns no row if the tree is never faster. */
    private static List<Measurement> crossover(String name, OptionalInt ranks) {
        return ranks.isPresent() ? List.of(Measurement.of(name, "ranks", ranks.getAsInt())) : List.of();
    }

    private OptionalInt simulatedCrossover(long bytes) {
        return IntStream.rangeClosed(2, Math.min(mostRanks, MOST_SIMULATED_ONE_BY_ONE))
                .filter(ranks -> simulatedNanos(Algorithm.BINOMIAL, ranks, bytes) < simulatedNanos(Algorithm.LINEAR,
                        ranks, bytes))
                .findFirst();
    }

    /** Plots the simulated times as measured, and those of the formulas as predicted. */
    Plot plot() {
        List<Line> lines = new ArrayList<>();
        for (long bytes : sizes) {
            for (Algorithm algorithm : Algorithm.values()) {
                int colour = lines.size() / 2;
                String name = name(algorithm) + ", " + Sizes.text(bytes);
                lines.add(Line.measured(name, colour, points(ranks -> simulatedNanos(algorithm, ranks, bytes))));
                lines.add(Line.predicted(name + ", formula", colour,
                        points(ranks -> algorithm.nanos(costs, ranks, bytes))));
            }
        }
        return new Plot("Broadcasts, simulated from what sending costs", Axis.count("ranks", Axis.Scale.BINARY),
                Axis.nanos("until the root knows"), lines);
    }

    private TreeMap<Double, Double> points(IntToDoubleFunction nanos) {
        TreeMap<Double, Double> points = new TreeMap<>();
        ranks().forEach(ranks -> points.put((double) ranks, nanos.applyAsDouble(ranks)));
        return points;
    }

    private static String name(Algorithm algorithm) {
        return algorithm.toString().toLowerCase(Locale.ROOT);
    }
}
