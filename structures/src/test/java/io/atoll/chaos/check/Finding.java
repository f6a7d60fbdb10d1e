package io.atoll.chaos.check;

import java.util.List;

/**
 * Something that must not be.
 *
 * @param history what shows it, as little as was found
 */
public record Finding(String what, List<String> history) {

    private static final int SHOWN = 20;
    private static final int KIND_CHARACTERS = 60;

    /** What findings that are alike have in common. */
    public String kind() {
        String begin = what.replaceAll("\\d+", "#");
        return begin.substring(0, Math.min(KIND_CHARACTERS, begin.length()));
    }

    @Override
    public String toString() {
        int from = Math.max(0, history.size() - SHOWN);
        return what + (from > 0 ? "\n    ... " + from + " more" : "")
                + String.join("", history.subList(from, history.size()).stream().map(line -> "\n    " + line).toList());
    }
}
