package io.atoll.app.node;

import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keeps who has acted, and who was refused, as long as the node lives. Nobody sees it unless its user exposes {@code auditevents}. */
@Configuration(proxyBeanMethods = false)
class NodeAudit {

    static final int MOST_EVENTS = 1_000;

    @Bean
    AuditEventRepository nodeAuditEvents() {
        return new InMemoryAuditEventRepository(MOST_EVENTS);
    }
}
