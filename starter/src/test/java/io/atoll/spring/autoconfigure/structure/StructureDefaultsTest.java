package io.atoll.spring.autoconfigure.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.spring.autoconfigure.cache.CacheProperties.CacheSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.MapSettings;
import io.atoll.world.StructureBuilder;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * What the properties of a structure default to is what its builder defaults to. So a process with Spring and one
 * without open the same structure if neither sets anything.
 */
class StructureDefaultsTest extends StructureRunner {

    static final Iterable<StructureKind<?, ?>> KINDS = StructureKind.ALL;

    /** Returns the settings of a structure of which no property is set. */
    private static Object defaults(StructureKind<?, ?> kind) {
        String component = kind.property().substring("atoll.".length()).replace("-", "");
        Class<?> settings = Stream.of(StructureProperties.class.getRecordComponents())
                .filter(each -> each.getName().equalsIgnoreCase(component))
                .map(RecordComponent::getGenericType)
                .map(map -> (Class<?>) ((ParameterizedType) map).getActualTypeArguments()[1])
                .findFirst()
                .orElseThrow();
        return new Binder().bindOrCreate("none", settings);
    }

    /** Returns the numbers, choices and records of them that a builder has, by the names of its fields. */
    private static Map<String, Object> values(StructureBuilder<?, ?> builder) throws IllegalAccessException {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Class<?> type = builder.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                Class<?> of = field.getType();
                if (!Modifier.isFinal(field.getModifiers()) && (of.isPrimitive() || of.isEnum() || of.isRecord())) {
                    field.setAccessible(true);
                    values.put(field.getName(), field.get(builder));
                }
            }
        }
        return values;
    }

    private static <S, B extends StructureBuilder<?, ?>> void assertDefaultsAgree(StructureKind<S, B> kind, S defaults,
            World world, ApplicationCodecs codecs) throws IllegalAccessException {
        Class<?>[] types = new Class<?>[kind.typeArguments().size()];
        Arrays.fill(types, Long.class);
        var request = new StructureRequest<>(kind.property("it"), "it", defaults, types, false, world, codecs);
        Map<String, Object> plain = values(kind.builder().apply(request));
        assertThat(plain).containsKeys("onLoss", "host");
        assertThat(values(kind.configured(request))).isEqualTo(plain);
    }

    @SuppressWarnings("unchecked") // these are the settings of that kind
    private static <S> void assertDefaultsAgree(StructureKind<S, ?> kind, World world, ApplicationCodecs codecs)
            throws IllegalAccessException {
        assertDefaultsAgree(kind, (S) defaults(kind), world, codecs);
    }

    @ParameterizedTest
    @FieldSource("KINDS")
    void propertiesDefaultToWhatTheBuilderDefaultsTo(StructureKind<?, ?> kind) {
        runner.run(application -> assertDefaultsAgree(kind, application.getBean(World.class),
                application.getBean(ApplicationCodecs.class)));
    }

    @Test
    void aCacheHasRoomForAsManyKeysAsAMap() {
        Binder binder = new Binder();
        assertThat(binder.bindOrCreate("none", CacheSettings.class).capacity())
                .isEqualTo(binder.bindOrCreate("none", MapSettings.class).capacity());
    }
}
