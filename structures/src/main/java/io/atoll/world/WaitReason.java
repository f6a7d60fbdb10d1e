package io.atoll.world;

/**
 * What a rank is in the middle of, for messages, and to count repairs by structure.
 *
 * @param operation in words, such as {@code push to}
 * @param structure its name; empty for no named structure
 */
public record WaitReason(String operation, String structure) {

    /** Returns an operation on no named structure. */
    public static WaitReason of(String operation) {
        return new WaitReason(operation, "");
    }

    @Override
    public String toString() {
        return structure.isEmpty() ? operation : operation + " " + structure;
    }
}
