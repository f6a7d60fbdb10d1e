package io.atoll.app.bench.measurement;

import io.atoll.app.command.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sizes as users write them. {@code 2KiB..40MiB} is the first size, doubled again and again, and the last one.
 * {@code 2KiB,34KiB} is a list. Both may be combined.
 */
public final class Sizes {

    private static final Pattern SIZE = Pattern.compile("(\\d+) ?(B|KiB|MiB|GiB)?");
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");
    private static final int WORD = Long.BYTES;

    private Sizes() {}

    /** Returns the sizes in bytes, ascending. */
    public static List<Long> parse(String text) {
        return Stream.of(text.split(",")).flatMap(part -> range(part.strip())).sorted().distinct().toList();
    }

    private static Stream<Long> range(String part) {
        String[] ends = part.split("\\.\\.", 2);
        long first = size(ends[0]);
        long last = size(ends[ends.length - 1]);
        List<Long> sizes = new ArrayList<>();
        for (long bytes = first; bytes < last; bytes *= 2) {
            sizes.add(bytes);
        }
        sizes.add(last);
        if (last < first) {
            throw new CommandException("sizes go from the smallest to the largest: sizes=" + part);
        }
        return sizes.stream();
    }

    private static long size(String text) {
        Matcher matcher = SIZE.matcher(text.strip());
        if (!matcher.matches() || matcher.group(1).length() > 9) {
            throw new CommandException("a size is a number and B, KiB, MiB or GiB, as in 2KiB..40MiB: size=" + text);
        }
        int unit = matcher.group(2) == null ? 0 : UNITS.indexOf(matcher.group(2));
        long bytes = Long.parseLong(matcher.group(1)) << 10 * unit;
        if (bytes < WORD || bytes % WORD != 0 || bytes > 1L << 32) {
            throw new CommandException("a size is a multiple of 8 bytes, and at most 4 GiB: size=" + text);
        }
        return bytes;
    }

    /** Returns for example {@code 2 KiB}. */
    public static String text(long bytes) {
        int unit = 0;
        long rest = bytes;
        while (unit < UNITS.size() - 1 && rest >= 1024 && rest % 1024 == 0) {
            rest /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%d %s", rest, UNITS.get(unit));
    }
}
