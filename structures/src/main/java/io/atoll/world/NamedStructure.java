package io.atoll.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A structure as one rank's directory lists it.
 *
 * @param configuration what every rank that opens it must ask for, as text. If that is very long, its beginning and a
 * hash of the whole
 * @param offset where its block begins in that rank's segment, 0 where it has none
 * @param bytes how long that block is
 * @param births the sum over all ranks of the incarnations in which their segments were made, when this was created.
 * The sum grows whenever a rank loses its segment
 */
public record NamedStructure(String name, String configuration, long offset, long bytes, long births) {

    /** Returns the first word of its configuration, such as {@code long-map}. */
    public String kind() {
        return kind(configuration);
    }

    /**
     * Returns a number that stands for a name where there is no room for the name. The number has 64 bits, so two names
     * of a world almost never have the same one.
     */
    public static long hash(String name) {
        return Hashing.wyhashFinal4().hashBytesToLong(name.getBytes(UTF_8));
    }

    /** Returns the first word of a configuration. */
    public static String kind(String configuration) {
        return configuration.split(" ", 2)[0];
    }

    /**
     * Returns a number of its configuration, such as that of {@code capacity=1000}. Empty if the configuration has no
     * such number, or if it was cut off.
     */
    public OptionalLong number(String setting) {
        return Stream.of(configuration.split(" "))
                .map(word -> word.split("=", 2))
                .filter(pair -> pair.length == 2 && pair[0].equals(setting) && pair[1].matches("\\d{1,18}"))
                .mapToLong(pair -> Long.parseLong(pair[1]))
                .findFirst();
    }
}
