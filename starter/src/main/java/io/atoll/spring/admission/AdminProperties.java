package io.atoll.spring.admission;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The console and its REST API. The settings also apply to the actuator's endpoint {@code atoll}, which shows the same.
 *
 * @param enabled True to add them to the application.
 * @param exposed True to answer every caller that reaches the application. Otherwise they answer callers that the
 * application has authenticated. Where it listens on a loopback address, they also answer callers that use a loopback
 * name and no proxy.
 * @param actions True to let users act by them: force a lock open, clear a queue, and the like. The application must
 * have authenticated such a user with the authority ATOLL_ADMIN. No other user can ever act.
 * @param entries True to show the content of structures: keys and values, which may be confidential. The keys of held
 * locks are always shown.
 */
@ConfigurationProperties("atoll.admin")
public record AdminProperties(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean exposed,
        @DefaultValue("false") boolean actions, @DefaultValue("false") boolean entries) {}
