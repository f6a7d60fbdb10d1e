package io.atoll.failure;

import java.io.Serializable;

/**
 * The name of a structure in messages.
 *
 * @param name that it was opened by
 * @param kind such as {@code long-map}
 */
public record StructureName(String name, String kind) implements Serializable {

    /** Returns the name as facts of a message. */
    @Override
    public String toString() {
        return "structure=" + name + " kind=" + kind;
    }
}
