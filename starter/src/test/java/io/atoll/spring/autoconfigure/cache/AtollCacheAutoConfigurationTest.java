package io.atoll.spring.autoconfigure.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.failure.CodecException;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.cache.MapCache;
import io.atoll.spring.cache.MapCacheManager;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;

class AtollCacheAutoConfigurationTest {

    public record Book(String title, List<String> authors) {}

    public static class Library {

        private final AtomicInteger looked = new AtomicInteger();

        @Cacheable("books")
        public Book find(String isbn, int edition) {
            return new Book(isbn + looked.incrementAndGet(), List.of("Herbert"));
        }

        @Cacheable(cacheNames = "books", sync = true)
        public Book findOnce(String isbn) {
            return new Book(isbn + looked.incrementAndGet(), List.of("Herbert"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class, AtollCacheAutoConfiguration.class))
            .withUserConfiguration(Caching.class)
            .withBean(Library.class);

    private ApplicationContextRunner books(String... more) {
        return runner.withPropertyValues("atoll.caches.books.capacity=1000",
                "atoll.codec.allowed-classes=" + Book.class.getName()).withPropertyValues(more);
    }

    @Test
    void whatAMethodHasReturnedIsNotComputedAgain() {
        books().run(context -> {
            Library library = context.getBean(Library.class);
            assertThat(library.find("dune", 1)).isEqualTo(new Book("dune1", List.of("Herbert")));
            assertThat(library.find("dune", 1)).isEqualTo(new Book("dune1", List.of("Herbert")));
            assertThat(library.find("dune", 2)).isEqualTo(new Book("dune2", List.of("Herbert")));
            assertThat(library.findOnce("emma")).isEqualTo(library.findOnce("emma"));
            assertThat(context.getBean(World.class).structures()).extracting("name").contains("cache books");
        });
    }

    @Test
    void aMistakeIsToldOfItsProperty() {
        for (String mistake : List.of("time-to-live=0s", "capacity=0")) {
            books("atoll.caches.books." + mistake).run(context -> assertThat(context).getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                    .hasMessageContaining("atoll.caches.books"));
        }
    }

    @Test
    void whatHasExpiredIsComputedAgainAndRemoved() {
        books("atoll.caches.books.time-to-live=50ms").run(context -> {
            Library library = context.getBean(Library.class);
            library.find("dune", 1);
            await().until(() -> !library.find("dune", 1).title().equals("dune1"));
            CacheManager caches = context.getBean(CacheManager.class);
            MapCache cache = (MapCache) Objects.requireNonNull(caches.getCache("books"));
            await().until(() -> cache.getNativeCache().isEmpty());
        });
    }

    @Test
    void classesThatTheApplicationHasNotAllowedAreRefused() {
        runner.withPropertyValues("atoll.caches.books.capacity=1000")
                .run(context -> assertThatExceptionOfType(CodecException.class)
                        .isThrownBy(() -> context.getBean(Library.class).find("dune", 1))
                        .withMessageContaining("name it in atoll.codec.allowed-classes")
                        .withMessageContaining("structure=cache books"));
    }

    @Test
    void onlyCachesThatAreNamedExist() {
        books("atoll.caches.films.capacity=10").run(context -> {
            CacheManager caches = context.getBean(CacheManager.class);
            assertThat(caches).isInstanceOf(MapCacheManager.class);
            assertThat(caches.getCacheNames()).containsExactlyInAnyOrder("books", "films");
            assertThat(caches.getCache("songs")).isNull();
        });
    }

    @Test
    void whoNamesNoneHasNoManagerOfOurs() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AtollAutoConfiguration.class, AtollCacheAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(CacheManager.class));
    }

    @Test
    void aManagerOfTheApplicationTakesThePlaceOfOurs() {
        books().withBean(ConcurrentMapCacheManager.class)
                .run(context -> assertThat(context.getBean(CacheManager.class))
                        .isInstanceOf(ConcurrentMapCacheManager.class));
    }
}
