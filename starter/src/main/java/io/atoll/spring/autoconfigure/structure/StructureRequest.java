package io.atoll.spring.autoconfigure.structure;

import io.atoll.World;
import io.atoll.codec.Codec;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * A structure that properties ask for, and what it is made with.
 *
 * @param property the prefix of its properties
 * @param types the type arguments of the bean's type
 * @param checkedPromises true if the structure is to find broken promises
 * @param <S> its settings
 */
record StructureRequest<S>(String property, String name, S settings, Class<?>[] types, boolean checkedPromises,
        World world, ApplicationCodecs codecs) {

    /** Returns the codec of elements of fixed size. */
    Codec<?> elements() {
        return codecs.fixed(property + ".type", types[0]);
    }

    /** Returns the codec of elements, which take at most {@code largest} bytes if their type has no fixed size. */
    Codec<?> elements(@Nullable DataSize largest) {
        return codecs.areFixed(types[0]) ? elements() : codecs.bounded(property, types[0], largest);
    }

    /** Refuses a wrong rank here, since the structure itself is opened only on first use. */
    int host(int rank) {
        if (rank < 0 || rank >= world.size()) {
            throw new InvalidConfigurationPropertyValueException(property + ".host", rank,
                    "the world has no such rank: size=" + world.size());
        }
        return rank;
    }
}
