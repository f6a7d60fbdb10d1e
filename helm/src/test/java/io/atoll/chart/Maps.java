package io.atoll.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Documents of YAML and JSON, as maps and lists. */
final class Maps {

    private Maps() {}

    @SuppressWarnings("unchecked")
    static Map<String, Object> of(@Nullable Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(@Nullable Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }

    static List<Map<String, Object>> maps(@Nullable Object value) {
        return list(value).stream().map(Maps::of).toList();
    }

    /**
     * Returns the value under these keys, one in the other, or null if there is none. A number is the index of a list.
     */
    static @Nullable Object at(@Nullable Object value, Object... keys) {
        Object found = value;
        for (Object key : keys) {
            if (found instanceof List<?> list) {
                found = list.get((Integer) key);
            } else {
                found = of(found).get(key);
            }
        }
        return found;
    }

    static String text(@Nullable Object value, Object... keys) {
        return String.valueOf(at(value, keys));
    }

    /** Returns every map in the value, itself included. */
    static List<Map<String, Object>> all(@Nullable Object value) {
        List<Map<String, Object>> found = new ArrayList<>();
        if (value instanceof Map<?, ?>) {
            found.add(of(value));
            of(value).values().forEach(each -> found.addAll(all(each)));
        } else if (value instanceof List<?> list) {
            list.forEach(each -> found.addAll(all(each)));
        }
        return found;
    }

    /** Merges as Helm merges values. Maps are merged into each other, and everything else is replaced as a whole. */
    static Map<String, Object> merge(Map<String, Object> below, Map<String, Object> above) {
        Map<String, Object> merged = new LinkedHashMap<>(below);
        above.forEach((key, value) -> merged.put(key, value instanceof Map<?, ?> && below.get(key) instanceof Map<?, ?>
                ? merge(of(below.get(key)), of(value))
                : value));
        return merged;
    }
}
