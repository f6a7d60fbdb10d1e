package io.atoll.admin.api;

import static io.atoll.spring.admission.StrangersText.oneLine;

import io.atoll.spring.admission.MinuteBudget;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.ClassUtils;

/**
 * Records which user has done what, and which callers were refused. Records go to the log, and to Spring Boot's audit
 * events if its actuator is present. Strangers can cause any number of refusals, so only some of them are recorded each
 * minute.
 */
final class Audit {

    /** The type of the events for actions that were done, or that failed. */
    static final String TYPE = "ATOLL_ACTION";

    /** The type of the events for actions that were refused. */
    static final String REFUSED_TYPE = "ATOLL_ACTION_REFUSED";

    static final int MOST_REFUSED_A_MINUTE = 20;

    private static final String NOBODY = "";

    private static final boolean HAS_ACTUATOR = ClassUtils.isPresent(
            "org.springframework.boot.actuate.audit.listener.AuditApplicationEvent", Audit.class.getClassLoader());

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final ApplicationEventPublisher publisher;
    private final MinuteBudget refusals;

    /** @param nanoTime a clock such as {@link System#nanoTime} */
    Audit(ApplicationEventPublisher publisher, LongSupplier nanoTime) {
        this.publisher = publisher;
        this.refusals = new MinuteBudget(MOST_REFUSED_A_MINUTE, nanoTime);
    }

    /**
     * @param action for example clear
     * @param subject what the action was done to
     * @param outcome that it was done, or why not
     */
    void write(String user, String action, String subject, String outcome) {
        LOG.warn("an operator has acted: user={} action={} subject={} outcome={}", oneLine(user), action,
                oneLine(subject), oneLine(outcome));
        if (HAS_ACTUATOR) {
            Events.publish(publisher, user, TYPE,
                    Map.of("action", action, "subject", subject, "outcome", outcome));
        }
    }

    /**
     * @param user the name of the authenticated caller; null if the caller is not authenticated
     * @param address the address that the request came from
     * @param action the action that the caller asked for, by its name in the API
     */
    void refuse(@Nullable String user, String address, String action, String reason) {
        OptionalLong unwritten = refusals.take();
        if (unwritten.isEmpty()) {
            return;
        }
        LOG.warn("an action was refused: user={} address={} action={} reason={} unwrittenBefore={}",
                oneLine(user == null ? NOBODY : user), oneLine(address), action, oneLine(reason),
                unwritten.getAsLong());
        if (HAS_ACTUATOR) {
            Events.publish(publisher, user == null ? NOBODY : user, REFUSED_TYPE,
                    Map.of("action", action, "address", address, "reason", reason, "unwrittenBefore",
                            unwritten.getAsLong()));
        }
    }

    /** A class of its own: an application without the actuator does not need the classes that it uses. */
    private static final class Events {

        static void publish(ApplicationEventPublisher publisher, String user, String type, Map<String, Object> data) {
            publisher.publishEvent(new AuditApplicationEvent(user, type, data));
        }
    }
}
