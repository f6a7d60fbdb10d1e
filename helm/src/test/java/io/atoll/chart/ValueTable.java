package io.atoll.chart;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.Yaml;

/**
 * The table of values: each key of {@code values.yaml} with a comment above it.
 *
 * @param rows in the order of the file
 * @param undescribed values that stand under no such key
 */
record ValueTable(List<Row> rows, List<String> undescribed) {

    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final Pattern KEY = Pattern.compile("( *)(\\w+):.*");
    private static final int INDENTATION = 2;

    private static final String BEGIN = "<!-- The table is made from values.yaml: see CONTRIBUTING.md -->";
    private static final String END = "<!-- The end of the table. -->";

    /** @param value the default, as JSON */
    record Row(String key, String value, String description) {

        @Override
        public String toString() {
            return "| `" + key + "` | " + description.replace("|", "\\|") + " | `" + value + "` |";
        }
    }

    static ValueTable read(Path file) throws IOException {
        Object values = new Yaml().load(Files.readString(file));
        List<Row> rows = new ArrayList<>();
        List<String> path = new ArrayList<>();
        String comment = "";
        for (String line : Files.readAllLines(file)) {
            Matcher key = KEY.matcher(line);
            if (line.strip().startsWith("# ")) {
                comment = (comment + " " + line.strip().substring(2)).strip();
            } else if (key.matches()) {
                path = new ArrayList<>(path.subList(0, key.group(1).length() / INDENTATION));
                path.add(key.group(2));
                if (!comment.isEmpty()) {
                    rows.add(new Row(String.join(".", path), GSON.toJson(Maps.at(values, path.toArray())), comment));
                }
                comment = "";
            } else {
                comment = "";
            }
        }
        List<String> undescribed = leaves("", values).stream()
                .filter(leaf -> rows.stream()
                        .noneMatch(row -> leaf.equals(row.key()) || leaf.startsWith(row.key() + ".")))
                .toList();
        return new ValueTable(rows, undescribed);
    }

    private static List<String> leaves(String path, Object value) {
        if (!(value instanceof Map<?, ?> map) || map.isEmpty()) {
            return List.of(path);
        }
        List<String> leaves = new ArrayList<>();
        Maps.of(map).forEach((key, below) -> leaves.addAll(leaves(path.isEmpty() ? key : path + "." + key, below)));
        return leaves;
    }

    /** Returns the table with the lines around it. */
    String text() {
        return BEGIN + "\n\n| Value | Is | Default |\n|---|---|---|\n"
                + rows.stream().map(Row::toString).collect(Collectors.joining("\n")) + "\n\n" + END;
    }

    /** Replaces the existing table in the document. */
    void writeTo(Path document) throws IOException {
        String before = Files.readString(document);
        int end = before.indexOf(END) + END.length();
        Files.writeString(document, before.substring(0, before.indexOf(BEGIN)) + text() + before.substring(end));
    }
}
