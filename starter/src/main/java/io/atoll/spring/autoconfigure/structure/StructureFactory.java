package io.atoll.spring.autoconfigure.structure;

import io.atoll.World;
import io.atoll.world.StructureBuilder;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Creates the structures that the properties name. They are handles, which contact no other rank before their first
 * use.
 */
final class StructureFactory implements BeanClassLoaderAware {

    /** The name of the method that creates a structure. */
    static final String METHOD = "create";

    private final StructureProperties properties;
    private final World world;
    private final ApplicationCodecs codecs;
    private @Nullable ClassLoader classLoader;

    StructureFactory(StructureProperties properties, World world, ApplicationCodecs codecs) {
        this.properties = properties;
        this.world = world;
        this.codecs = codecs;
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    /** @param prefix the properties of all structures of its kind */
    Object create(String prefix, String name) {
        return create(StructureKind.of(prefix), name);
    }

    private <S, B extends StructureBuilder<?, ?>> Object create(StructureKind<S, B> kind, String name) {
        S settings = kind.settings(properties, name);
        var request = new StructureRequest<>(kind.property(name), name, settings,
                kind.typeArguments(properties, name, classLoader), properties.checkedPromises(), world, codecs);
        try {
            return kind.configured(request).openLazily();
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException(kind.property(name), settings,
                    String.valueOf(failure.getMessage()));
        }
    }
}
