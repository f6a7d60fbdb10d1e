package io.atoll.spring.autoconfigure.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.LockTable;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.atoll.spring.integration.LockTableRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

class AtollIntegrationAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class,
                    AtollIntegrationAutoConfiguration.class))
            .withPropertyValues("atoll.lock-tables.accounts.locks=100");

    @Test
    void theTableOfLocksIsTheRegistry() {
        runner.run(context -> {
            LockTableRegistry registry = context.getBean(LockTableRegistry.class);
            LockTable table = context.getBean(LockTable.class);
            String result = registry.executeLocked("group 7", () -> {
                assertThat(table.tryLockAt(table.indexOf("group 7"))).isNull();
                Lock again = registry.obtain("group 7");
                assertThat(again.tryLock()).isTrue();
                again.unlock();
                assertThat(CompletableFuture.supplyAsync(() -> isTaken(registry)).join()).isTrue();
                return "done";
            });
            assertThat(result).isEqualTo("done");
            table.lock("group 7").close();
        });
    }

    private static boolean isTaken(LockTableRegistry registry) {
        try {
            registry.executeLocked("group 7", Duration.ofMillis(1), () -> {});
            return false;
        } catch (TimeoutException taken) {
            return true;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void ofSeveralTablesNoneIsChosen() {
        runner.withPropertyValues("atoll.lock-tables.others.locks=100")
                .run(context -> assertThat(context).doesNotHaveBean(LockRegistry.class));
    }

    @Test
    void aRegistryOfTheApplicationStaysAlone() {
        runner.withBean(DefaultLockRegistry.class)
                .run(context -> assertThat(context).doesNotHaveBean(LockTableRegistry.class));
    }

    @Test
    void withoutSpringIntegrationThereIsNone() {
        runner.withClassLoader(new FilteredClassLoader(LockRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("atollLockRegistry"));
    }
}
