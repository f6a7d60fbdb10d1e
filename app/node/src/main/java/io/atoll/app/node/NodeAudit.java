package io.atoll.app.node;

import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Keeps the records of actions and refusals as long as the node lives. They are visible only if the node's user exposes
 * {@code auditevents}.
 */
@Configuration(proxyBeanMethods = false)
class NodeAudit {

    static final int MOST_EVENTS = 1_000;

    @Bean
    AuditEventRepository nodeAuditEvents() {
        return new InMemoryAuditEventRepository(MOST_EVENTS);
    }
}
