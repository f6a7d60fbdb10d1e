package io.atoll.app.bench.broadcast;

import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Sizes;
import io.atoll.app.plot.Axis;
import io.atoll.app.plot.Line;
import io.atoll.app.plot.Plot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The results of a benchmark of broadcasts, like figures 13 to 16 of Paznikov's paper: latency against size, and
 * against ranks.
 *
 * @param ranks the measured numbers of ranks, ascending
 * @param sizes the measured sizes, ascending
 * @param suffix the end of each title
 */
record BroadcastFigures(Report report, List<Integer> ranks, List<Long> sizes, List<Choice> choices, String suffix) {

    // In the report's unit.
    private static final double NANOS = 1_000;

    /** Writes the figures that have more than one point. Returns their files. */
    List<Path> write(Path folder) {
        List<Path> written = new ArrayList<>();
        if (sizes.size() > 1) {
            int most = ranks.getLast();
            Path file = folder.resolve("broadcast-by-size.svg");
            new Plot("Broadcast to " + most + " ranks" + suffix, Axis.bytes("size"), Axis.nanos("until the root knows"),
                    lines(choice -> points(sizes, bytes -> BroadcastBenchmark.name(choice, most, bytes)),
                            choice -> points(sizes, bytes -> BroadcastBenchmark.predicted(choice, most, bytes))))
                    .write(file);
            written.add(file);
        }
        if (ranks.size() > 1) {
            long most = sizes.getLast();
            Path file = folder.resolve("broadcast-by-ranks.svg");
            new Plot("Broadcast of " + Sizes.text(most) + suffix, Axis.count("ranks", Axis.Scale.LINEAR),
                    Axis.nanos("until the root knows"),
                    lines(choice -> points(ranks, number -> BroadcastBenchmark.name(choice, number, most)),
                            choice -> points(ranks, number -> BroadcastBenchmark.predicted(choice, number, most))))
                    .write(file);
            written.add(file);
        }
        return written;
    }

    private List<Line> lines(Function<Choice, SortedMap<Double, Double>> measured,
            Function<Choice, SortedMap<Double, Double>> predicted) {
        List<Line> lines = new ArrayList<>();
        for (Choice choice : choices) {
            lines.add(Line.measured(choice.toString(), choice.ordinal(), measured.apply(choice)));
            lines.add(Line.predicted(choice + ", predicted", choice.ordinal(), predicted.apply(choice)));
        }
        return lines;
    }

    private <T extends Number> SortedMap<Double, Double> points(List<T> places, Function<T, String> name) {
        Map<String, Double> medians = report.measurements()
                .stream()
                .collect(Collectors.toMap(Report.Measurement::name, Report.Measurement::median));
        TreeMap<Double, Double> points = new TreeMap<>();
        for (T place : places) {
            points.put(place.doubleValue(), medians.get(name.apply(place)) * NANOS);
        }
        return points;
    }
}
