package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.WorldBuilder;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the properties of a world default to is what the builder of a world defaults to. */
class WorldDefaultsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class));

    /** Returns the numbers, times and records of them that a builder has, by the names of its fields. */
    private static Map<String, Object> values(WorldBuilder builder) throws IllegalAccessException {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Field field : WorldBuilder.class.getDeclaredFields()) {
            Class<?> type = field.getType();
            if (type.isPrimitive() || type == Duration.class || type.isRecord()) {
                field.setAccessible(true);
                values.put(field.getName(), field.get(builder));
            }
        }
        return values;
    }

    /** Only a history is kept by default where Spring is: an application has somebody who looks at it. */
    @Test
    void propertiesDefaultToWhatTheBuilderDefaultsTo() throws IllegalAccessException {
        Map<String, Object> configured = new LinkedHashMap<>();
        WorldCustomizer customizer = world -> {
            try {
                configured.putAll(values(world));
            } catch (IllegalAccessException impossible) {
                throw new AssertionError(impossible);
            }
        };
        runner.withBean(WorldCustomizer.class, () -> customizer)
                .run(application -> assertThat(application).hasSingleBean(World.class));
        assertThat(configured).containsKeys("size", "segmentBytes", "joinTimeout", "operationTimeout", "rejoin",
                "epochs", "collectives");
        assertThat(configured.remove("history")).isEqualTo(true);
        assertThat(values(World.named("plain").history(true))).containsAllEntriesOf(configured);
    }

    /** The annotation is read before properties are bound. So it repeats the default. */
    @Test
    void anApplicationTakesPartUnlessToldAsItsPropertySays() {
        boolean takesPart = AtollAutoConfiguration.class.getAnnotation(ConditionalOnBooleanProperty.class)
                .matchIfMissing();
        assertThat(takesPart).isEqualTo(new Binder().bindOrCreate("none", AtollProperties.class).enabled());
    }
}
