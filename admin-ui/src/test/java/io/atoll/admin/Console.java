package io.atoll.admin;

import io.atoll.World;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.spring.state.VerbLatencies;
import jakarta.servlet.Filter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.web.servlet.client.RestTestClient;

/** A real application with a console, which listens on a port of its own. */
public record Console(ServletWebServerApplicationContext context) implements AutoCloseable {

    private static final String WITHOUT_SECURITY = "--spring.autoconfigure.exclude="
            + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration";

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** Starts it on loopback, without Spring Security. The caller keeps the world. */
    public static Console start(World world) {
        return start(world, WITHOUT_SECURITY, "--server.address=127.0.0.1");
    }

    /** Like {@link #start(World)}, behind a filter that answers in its stead. */
    public static Console startBehind(Filter filter, World world) {
        return start(world, List.of(Application.class), context -> context.registerBean(Filter.class, () -> filter),
                WITHOUT_SECURITY,
                "--server.address=127.0.0.1");
    }

    /** Starts it on loopback, without Spring Security, for a world with the given counts and times of verbs. */
    public static Console startCounting(World world, VerbCounts counts, VerbLatencies latencies) {
        return start(world, List.of(Application.class), context -> {
            context.registerBean(VerbCounts.class, () -> counts);
            context.registerBean(VerbLatencies.class, () -> latencies);
        }, WITHOUT_SECURITY, "--server.address=127.0.0.1");
    }

    static Console startWithoutSecurity(World world, String... properties) {
        return start(world,
                Stream.concat(Stream.of(WITHOUT_SECURITY), Arrays.stream(properties)).toArray(String[]::new));
    }

    /** Starts it at all addresses, without Spring Security, with the caller's configuration. */
    static Console startWith(World world, Class<?> configuration, String... properties) {
        return start(world, List.of(Application.class, configuration),
                Stream.concat(Stream.of(WITHOUT_SECURITY), Arrays.stream(properties)).toArray(String[]::new));
    }

    /** Starts it on loopback, with the caller's configuration of Spring Security. */
    public static Console startSecured(World world, Class<?> security, String... properties) {
        return start(world, List.of(Application.class, security),
                Stream.concat(Stream.of("--server.address=127.0.0.1"), Arrays.stream(properties))
                        .toArray(String[]::new));
    }

    /** Starts it on loopback, without Spring Security, with the caller's configuration. */
    public static Console startLocalWith(World world, Class<?> configuration, String... properties) {
        return startWith(world, configuration,
                Stream.concat(Stream.of("--server.address=127.0.0.1"), Arrays.stream(properties))
                        .toArray(String[]::new));
    }

    /** Starts it on loopback, without Spring Security. */
    public static Console startLocal(World world, String... properties) {
        return startWithoutSecurity(world,
                Stream.concat(Stream.of("--server.address=127.0.0.1"), Arrays.stream(properties))
                        .toArray(String[]::new));
    }

    static Console start(World world, String... properties) {
        return start(world, List.of(Application.class), _ -> {}, properties);
    }

    private static Console start(World world, List<Class<?>> sources, String... properties) {
        return start(world, sources, _ -> {}, properties);
    }

    private static Console start(World world, List<Class<?>> sources, Consumer<GenericApplicationContext> beans,
            String... properties) {
        String[] all = Stream.concat(Stream.of("--server.port=0", "--spring.main.banner-mode=off"),
                Arrays.stream(properties)).toArray(String[]::new);
        return new Console((ServletWebServerApplicationContext) new SpringApplicationBuilder(
                sources.toArray(Class[]::new))
                .initializers(context -> beans.accept((GenericApplicationContext) context),
                        context -> ((GenericApplicationContext) context).registerBean(World.class, () -> world,
                                definition -> definition.setDestroyMethodName("")))
                .run(all));
    }

    public int port() {
        return context.getWebServer().getPort();
    }

    public RestTestClient client() {
        return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port()).build();
    }

    @Override
    public void close() {
        context.close();
    }
}
