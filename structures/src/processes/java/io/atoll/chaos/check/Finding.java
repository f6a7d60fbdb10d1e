package io.atoll.chaos.check;

import java.util.List;

/**
 * A violation.
 *
 * @param history the entries that show it, as few as were found
 */
public record Finding(String what, List<String> history) {

    private static final int SHOWN = 20;
    private static final int KIND_CHARACTERS = 60;

    /** Returns the text that is the same for similar findings. */
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
