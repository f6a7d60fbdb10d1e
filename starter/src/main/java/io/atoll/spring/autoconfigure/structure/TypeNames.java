package io.atoll.spring.autoconfigure.structure;

import io.atoll.spring.autoconfigure.property.MissingPropertyException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/** Resolves types that properties name: {@code long}, {@code string}, {@code com.example.Order}. */
final class TypeNames {

    private static final Map<String, Class<?>> SHORT_NAMES = Map.of("string", String.class, "uuid", UUID.class,
            "instant", Instant.class, "duration", Duration.class);

    private TypeNames() {}

    /**
     * Returns the type, boxed if it is primitive.
     *
     * @throws MissingPropertyException if no type is set
     * @throws InvalidConfigurationPropertyValueException if there is no type of that name
     */
    static Class<?> resolve(String property, @Nullable String name, @Nullable ClassLoader classLoader) {
        if (name == null) {
            throw new MissingPropertyException(property, "a type, such as long, string or com.example.Order");
        }
        Class<?> known = SHORT_NAMES.get(name);
        try {
            return known != null
                    ? known
                    : ClassUtils.resolvePrimitiveIfNecessary(ClassUtils.forName(name, classLoader));
        } catch (ClassNotFoundException unknown) {
            throw new InvalidConfigurationPropertyValueException(property, name,
                    "there is neither a class of this name nor a short one: a primitive type's, "
                            + String.join(", ", SHORT_NAMES.keySet().stream().sorted().toList()));
        }
    }
}
