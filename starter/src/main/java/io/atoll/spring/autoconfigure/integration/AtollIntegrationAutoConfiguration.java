package io.atoll.spring.autoconfigure.integration;

import io.atoll.lock.LockTable;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.atoll.spring.integration.LockTableRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Makes a lock registry of the application's only lock table, or of its primary one. */
@AutoConfiguration(after = StructureAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(LockTable.class)
public final class AtollIntegrationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    LockTableRegistry atollLockRegistry(LockTable table) {
        return new LockTableRegistry(table);
    }
}
