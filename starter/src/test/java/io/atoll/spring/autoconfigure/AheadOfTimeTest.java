package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.World;
import io.atoll.filter.BloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.spring.autoconfigure.actuate.AtollEndpointAutoConfiguration;
import io.atoll.spring.autoconfigure.actuate.AtollHealthContributorAutoConfiguration;
import io.atoll.spring.autoconfigure.metrics.AtollMetricsAutoConfiguration;
import io.atoll.spring.autoconfigure.property.UnknownPropertyException;
import io.atoll.spring.autoconfigure.structure.Order;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/**
 * Tests an application that was processed ahead of time. Its beans come from generated code. Nothing scans classes or
 * evaluates conditions at the start.
 */
@Tag("slow")
class AheadOfTimeTest {

    private static final String[] PROPERTIES = {"atoll.world.name=ahead", "atoll.world.size=1",
        "atoll.segment.size=8MB",
        "atoll.maps.orders.key-type=long", "atoll.maps.orders.value-type=io.atoll.spring.autoconfigure.structure.Order",
        "atoll.maps.orders.capacity=1000", "atoll.long-maps.hits-of-today.capacity=1000",
        "atoll.filters.seen.type=string", "atoll.long-filters.ids.expected-elements=1000",
        "management.endpoints.jmx.exposure.include=atoll"};

    record Service(DistributedMap<Long, Order> orders, BloomFilter<String> seen) {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({AtollAutoConfiguration.class, StructureAutoConfiguration.class,
        AtollMetricsAutoConfiguration.class, AtollHealthContributorAutoConfiguration.class,
        AtollEndpointAutoConfiguration.class, MetricsAutoConfiguration.class,
        CompositeMeterRegistryAutoConfiguration.class})
    static class Application {

        @Bean
        Service service(DistributedMap<Long, Order> orders, BloomFilter<String> seen) {
            return new Service(orders, seen);
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    private static void described(GenericApplicationContext context) {
        TestPropertyValues.of(PROPERTIES).applyTo(context.getEnvironment());
    }

    /** Processes the application, and gives the generated code to the compiler's class loader. */
    private static void processed(Consumer<TestGenerationContext> use) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext()) {
            described(application);
            application.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(application, generation);
            generation.writeGeneratedContent();
        }
        use.accept(generation);
    }

    /** What is done with the generated code and a context that it is to initialize. */
    private interface Start {
        void begin(ApplicationContextInitializer<GenericApplicationContext> generated,
                GenericApplicationContext context);
    }

    private static void compiled(Start start) {
        processed(generation -> TestCompiler.forSystem().with(generation).compile(compiled -> {
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> generated = compiled
                    .getInstance(ApplicationContextInitializer.class);
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                described(context);
                start.begin(generated, context);
            }
        }));
    }

    @Test
    @CompileWithForkedClassLoader
    void anApplicationProcessedAheadOfTimeStarts() {
        compiled((generated, context) -> {
            generated.initialize(context);
            context.refresh();
            World world = context.getBean(World.class);
            assertThat(world.name()).isEqualTo("ahead");
            assertThat(context.getBean("hitsOfToday", LongLongMap.class).addAndGet(7, 2)).isEqualTo(2);
            Service service = context.getBean(Service.class);
            Order order = new Order(7, new UUID(1, 2), 300);
            service.orders.put(7L, order);
            assertThat(service.orders.get(7L)).isEqualTo(order);
            assertThat(service.seen.add("once")).isTrue();
            assertThat(world.structures()).extracting("name")
                    .containsExactlyInAnyOrder("hits-of-today", "orders", "seen", "epochs");
            assertThat(context.getBean(MeterRegistry.class).get("atoll.structure.size").gauges()).hasSize(4);
        });
    }

    @Test
    @CompileWithForkedClassLoader
    void whatNothingReadsIsRefusedWhenItStarts() {
        compiled((generated, context) -> {
            TestPropertyValues.of("atoll.wrold.name=other").applyTo(context.getEnvironment());
            assertThatThrownBy(() -> generated.initialize(context))
                    .isInstanceOfSatisfying(UnknownPropertyException.class,
                            unknown -> assertThat(unknown.nearest()).contains("atoll.world.name"));
        });
    }

    @Test
    void whatIsReachedByReflectionIsNamed() {
        processed(generation -> {
            var hints = generation.getRuntimeHints();
            assertThat(RuntimeHintsPredicates.reflection().onType(Order.class))
                    .accepts(hints);
        });
    }
}
