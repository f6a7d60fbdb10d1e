package io.atoll.spring.admission;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The console and its REST API, and with them the actuator's endpoint {@code atoll}, which tells the same.
 *
 * @param enabled Whether the application has them.
 * @param exposed Whether they answer everyone who reaches the application. Otherwise they answer those whom the application has authenticated and, where
 * it listens on a loopback address, those who call it by a loopback name and through no proxy.
 * @param actions Whether users act by them whom the application has authenticated with the authority ATOLL_ADMIN: force a
 * lock open, clear a queue, and the like. Nobody else ever does.
 * @param entries Whether they show what is in structures: keys and values, which may be confidential. The keys for which
 * locks are held are shown in any case.
 */
@ConfigurationProperties("atoll.admin")
public record AdminProperties(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean exposed,
        @DefaultValue("false") boolean actions, @DefaultValue("false") boolean entries) {}
