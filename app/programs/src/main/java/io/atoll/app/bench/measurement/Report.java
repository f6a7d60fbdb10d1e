package io.atoll.app.bench.measurement;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of a benchmark. Each quantity has the median of its runs, beside the smallest and the largest: a single
 * number hides how much it varied.
 *
 * @param benchmark its name
 * @param parameters what it was run with, in the order in which they are shown
 */
public record Report(String benchmark, Map<String, String> parameters, List<Measurement> measurements) {

    /**
     * One quantity.
     *
     * @param unit for example {@code ns/operation}
     * @param runs one value each, in the order in which they were measured
     */
    public record Measurement(String name, String unit, double median, double minimum, double maximum,
            List<Double> runs) {

        public static Measurement of(String name, String unit, double... runs) {
            if (runs.length == 0) {
                throw new IllegalArgumentException("a median needs a run: name=" + name);
            }
            double[] sorted = Arrays.stream(runs).sorted().toArray();
            double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
            return new Measurement(name, unit, median, sorted[0], sorted[sorted.length - 1],
                    Arrays.stream(runs).boxed().toList());
        }

        private Stream<String> cells() {
            return Stream.concat(Stream.of(name, unit),
                    Stream.of(median, minimum, maximum).map(value -> String.format(Locale.ROOT, "%.1f", value)));
        }
    }

    /**
     * Reads the lines that rank 0 of a benchmark has printed. Each one stands for one run, and has a name, a value and
     * its unit, with tabs between.
     */
    public static Report ofLines(String benchmark, Map<String, String> parameters, List<String> lines) {
        Map<String, List<Double>> values = new LinkedHashMap<>();
        Map<String, String> units = new HashMap<>();
        for (String line : lines) {
            String[] parts = line.split("\t");
            values.computeIfAbsent(parts[0], name -> new ArrayList<>()).add(Double.valueOf(parts[1]));
            units.put(parts[0], parts[2]);
        }
        return new Report(benchmark, parameters, values.entrySet()
                .stream()
                .map(each -> Measurement.of(each.getKey(), units.get(each.getKey()),
                        each.getValue().stream().mapToDouble(Double::doubleValue).toArray()))
                .toList());
    }

    private static final JsonMapper MAPPER = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Prints the report as JSON, or as a table. */
    public void print(boolean json, PrintWriter output) {
        if (json) {
            output.println(toJson());
        } else {
            toTable().forEach(output::println);
        }
        output.flush();
    }

    /** Returns the report in a form for programs. */
    public String toJson() {
        return MAPPER.writeValueAsString(this);
    }

    /** Returns the report in a form for people: a line for the parameters, then a table. */
    public List<String> toTable() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "unit", "median", "min", "max"));
        measurements.forEach(each -> rows.add(each.cells().toList()));
        List<String> lines = new ArrayList<>();
        lines.add(benchmark + " " + parameters);
        rows.forEach(row -> lines.add(line(row, rows)));
        return lines;
    }

    private static String line(List<String> row, List<List<String>> rows) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            int at = column;
            int width = rows.stream().mapToInt(each -> each.get(at).length()).max().orElse(0);
            // Texts stand to the left, numbers to the right.
            line.append(String.format(column < 2 ? "%-" + width + "s  " : "%" + width + "s  ", row.get(column)));
        }
        return line.toString().stripTrailing();
    }
}
