package io.atoll.world;

/**
 * What a rank is in the middle of, for messages, and to count repairs by structure.
 *
 * @param operation in words, such as {@code push to}
 * @param structure its name; empty if it is none by name
 */
public record Doing(String operation, String structure) {

    /** Of no structure by name. */
    public static Doing of(String operation) {
        return new Doing(operation, "");
    }

    @Override
    public String toString() {
        return structure.isEmpty() ? operation : operation + " " + structure;
    }
}
