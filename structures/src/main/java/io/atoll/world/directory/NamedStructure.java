package io.atoll.world.directory;

/**
 * A structure as one rank's directory lists it.
 *
 * @param configuration what every rank that opens it must ask for, as text; of a very long one the beginning, and a hash of the whole
 * @param offset where its block begins in that rank's segment, 0 where it has none
 * @param bytes how long that block is
 */
public record NamedStructure(String name, String configuration, long offset, long bytes) {

    /** The first word of its configuration, such as {@code long-map}. */
    public String kind() {
        return configuration.split(" ", 2)[0];
    }
}
