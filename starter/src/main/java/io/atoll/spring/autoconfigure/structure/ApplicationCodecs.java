package io.atoll.spring.autoconfigure.structure;

import io.atoll.codec.Codec;
import io.atoll.codec.TypeCodecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/**
 * Finds the codec of a type that a property or a caller of the world names. The first of these counts: a {@link Codec}
 * or {@link VariableCodec} bean of the application, Atoll's own codec, Kryo if the class is allowed.
 */
final class ApplicationCodecs implements TypeCodecs {

    private final ListableBeanFactory beans;
    private final AllowedClasses allowed;

    ApplicationCodecs(ListableBeanFactory beans, AllowedClasses allowed) {
        this.beans = beans;
        this.allowed = allowed;
    }

    <T> Codec<T> fixed(String property, Class<T> type) {
        return named(property, type, () -> fixed(type));
    }

    @Override
    public <T> Optional<Codec<T>> own(Class<T> type) {
        ResolvableType wanted = ResolvableType.forClassWithGenerics(Codec.class, type);
        return Optional.ofNullable(beans.<Codec<T>>getBeanProvider(wanted).getIfUnique());
    }

    <T> VariableCodec<T> keys(String property, Class<T> type) {
        return named(property, type, () -> keys(type));
    }

    @Override
    public <T> VariableCodec<T> keys(Class<T> type) {
        return variableBean(type).orElseGet(() -> VariableCodecs.forType(type));
    }

    <T> VariableCodec<T> values(String property, Class<T> type) {
        return named(property, type, () -> values(type));
    }

    /** The values may be objects of allowed classes. */
    @Override
    public <T> VariableCodec<T> values(Class<T> type) {
        return variableBean(type)
                .orElseGet(() -> VariableCodecs.has(type) ? VariableCodecs.forType(type) : ofObjects(type));
    }

    private <T> VariableCodec<T> ofObjects(Class<T> type) {
        if (!allowed.allow(type)) {
            throw new IllegalArgumentException(
                    "values of this type have no codec: use a record of numbers and texts, or a "
                            + "codec of your own, or name the class in atoll.codec.allowed-classes: class="
                            + type.getName());
        }
        return ObjectCodec.of(type, allowed);
    }

    private <T> Optional<VariableCodec<T>> variableBean(Class<T> type) {
        ResolvableType wanted = ResolvableType.forClassWithGenerics(VariableCodec.class, type);
        VariableCodec<T> bean = beans.<VariableCodec<T>>getBeanProvider(wanted).getIfUnique();
        return bean != null ? Optional.of(bean) : own(type).map(VariableCodecs::of);
    }

    /** Returns a codec for elements that take at most {@code largest}. */
    <T> Codec<T> bounded(String property, Class<T> type, @Nullable DataSize largest) {
        VariableCodec<T> codec = values(property + ".type", type);
        if (largest == null) {
            throw new InvalidConfigurationPropertyValueException(property + ".type", type.getName(),
                    "its values differ in size: say what one takes at most, as in " + property + ".largest-size=1KB");
        }
        return named(property + ".largest-size", largest,
                () -> VariableCodecs.bounded(codec, Math.toIntExact(largest.toBytes())));
    }

    private static <T> T named(String property, Object value, Supplier<T> codec) {
        try {
            return codec.get();
        } catch (IllegalArgumentException | IllegalStateException | ArithmeticException failure) {
            throw new InvalidConfigurationPropertyValueException(property,
                    value instanceof Class<?> type ? type.getName() : value, String.valueOf(failure.getMessage()));
        }
    }
}
