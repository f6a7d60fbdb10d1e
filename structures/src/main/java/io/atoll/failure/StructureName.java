package io.atoll.failure;

import java.io.Serializable;

/**
 * What a message calls a structure.
 *
 * @param name as it was opened by
 * @param kind such as {@code long-map}
 */
public record StructureName(String name, String kind) implements Serializable {

    /** As facts of a message. */
    @Override
    public String toString() {
        return "structure=" + name + " kind=" + kind;
    }
}
