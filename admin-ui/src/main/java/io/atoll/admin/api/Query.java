package io.atoll.admin.api;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How lists are searched and sorted. */
final class Query {

    private Query() {}

    /**
     * Returns true if one of the texts contains the text that is looked for, in either case. An empty text is contained
     * in everything.
     */
    static boolean matches(@Nullable String looked, @Nullable Object... texts) {
        if (looked == null || looked.isBlank()) {
            return true;
        }
        String wanted = looked.strip().toLowerCase(Locale.ROOT);
        for (Object text : texts) {
            if (text != null && text.toString().toLowerCase(Locale.ROOT).contains(wanted)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the requested order. For example {@code name,-bytes} sorts by name, and items of the same name by size,
     * the largest first. Items without a value come last.
     *
     * @param fields the fields that the caller may sort by
     * @throws IllegalArgumentException if the caller asks for any other field
     */
    static <T> Comparator<T> order(@Nullable String sort, Comparator<T> otherwise,
            Map<String, Function<T, @Nullable Comparable<?>>> fields) {
        if (sort == null || sort.isBlank()) {
            return otherwise;
        }
        Comparator<T> order = null;
        for (String field : sort.split(",")) {
            boolean isDescending = field.startsWith("-");
            Function<T, @Nullable Comparable<?>> value = fields.get(isDescending ? field.substring(1) : field);
            if (value == null) {
                throw new IllegalArgumentException("this list is sorted by "
                        + fields.keySet().stream().sorted().collect(Collectors.joining(", "))
                        + ", the other way round with a minus before it: sort=" + sort);
            }
            Comparator<T> next = by(value, isDescending);
            order = order == null ? next : order.thenComparing(next);
        }
        return order == null ? otherwise : order.thenComparing(otherwise);
    }

    // All values of a field have the same type.
    @SuppressWarnings("unchecked")
    private static <T> Comparator<T> by(Function<T, @Nullable Comparable<?>> value, boolean isDescending) {
        Comparator<Object> values = (one, other) -> ((Comparable<Object>) one).compareTo(other);
        return Comparator.comparing(value::apply,
                (Comparator<? super @Nullable Comparable<?>>) (Comparator<?>) Comparator
                        .nullsLast(isDescending ? values.reversed() : values));
    }

    static <T> List<T> sorted(List<T> list, Comparator<T> order) {
        return list.stream().sorted(order).toList();
    }
}
