package io.atoll.spring.autoconfigure.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.filter.BloomFilter;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.queue.CircularQueue;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;

/**
 * A service that uses structures of several kinds together. Configuration alone creates them, and Spring injects them
 * by name and type.
 */
class CheckoutTest {

    private static final String YAML = """
            atoll:
              world: {name: shop, size: 1}
              fabric: {type: shared-memory}
              segment: {size: 16MB}
              maps:    {orders: {key-type: long, value-type: io.atoll.spring.autoconfigure.structure.CheckoutTest$Sale, capacity: 10000}}
              queues:  {jobs: {type: long, capacity: 65536, host: 0}}
              filters: {seen: {type: string, expected-elements: 10000, false-positive-rate: 0.01}}
              lock-tables: {accounts: {locks: 1000}}
            """;

    record Sale(long id, long account, long reference) {}

    private record Entry(long fencingToken, Sale sale) {}

    static class Checkout {

        private final DistributedMap<Long, Sale> orders;
        private final CircularQueue<Long> jobs;
        private final BloomFilter<String> seen;
        private final LockTable accounts;
        private final List<Entry> ledger = new ArrayList<>();

        Checkout(DistributedMap<Long, Sale> orders, CircularQueue<Long> jobs, BloomFilter<String> seen,
                LockTable accounts) {
            this.orders = orders;
            this.jobs = jobs;
            this.seen = seen;
            this.accounts = accounts;
        }

        boolean place(Sale sale) throws InterruptedException {
            try (Acquisition held = accounts.lock(sale.account())) {
                ledger.add(new Entry(held.fencingToken(), sale));
                orders.put(sale.id(), sale);
            }
            seen.add("reference " + sale.reference());
            return jobs.offer(sale.id(), Duration.ofMillis(50));
        }
    }

    @TempDir
    Path folder;

    @Test
    void structuresOfSeveralKindsWorkTogether() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class))
                .withInitializer(context -> {
                    var yaml = new ByteArrayResource(YAML.getBytes(StandardCharsets.UTF_8));
                    try {
                        new YamlPropertySourceLoader().load("yaml", yaml)
                                .forEach(context.getEnvironment().getPropertySources()::addLast);
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                })
                .withPropertyValues("atoll.fabric.shared-memory.folder=" + folder)
                .withBean(Checkout.class)
                .run(context -> {
                    Checkout checkout = context.getBean(Checkout.class);
                    Sale sale = new Sale(7, 42, 1001);
                    assertThat(checkout.place(sale)).isTrue();
                    assertThat(checkout.place(sale)).isTrue();
                    assertThat(checkout.orders.get(7L)).isEqualTo(sale);
                    assertThat(checkout.seen.mightContain("reference 1001")).isTrue();
                    assertThat(checkout.seen.add("reference 1001")).isFalse();
                    assertThat(checkout.jobs.pop()).isEqualTo(7);
                    assertThat(checkout.ledger).extracting(Entry::fencingToken).isSorted().doesNotHaveDuplicates();
                });
    }
}
