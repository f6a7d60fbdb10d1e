package io.atoll.admin.api;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.ClassUtils;

/** Writes down who did what: in the log, and as Spring Boot's audit events where its actuator is there. */
final class Audit {

    /** The type of the events. */
    static final String TYPE = "ATOLL_ACTION";

    private static final boolean HAS_ACTUATOR = ClassUtils.isPresent(
            "org.springframework.boot.actuate.audit.listener.AuditApplicationEvent", Audit.class.getClassLoader());

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final ApplicationEventPublisher publisher;

    Audit(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    /**
     * @param action such as clear
     * @param subject to what it was done
     * @param outcome done, or why not
     */
    void write(String user, String action, String subject, String outcome) {
        LOG.warn("an operator has acted: user={} action={} subject={} outcome={}", oneLine(user), action,
                oneLine(subject), oneLine(outcome));
        if (HAS_ACTUATOR) {
            Events.publish(publisher, user, Map.of("action", action, "subject", subject, "outcome", outcome));
        }
    }

    /** What a caller has sent must not look like another line of the log. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Apart, so that an application without the actuator need not have its classes. */
    private static final class Events {

        static void publish(ApplicationEventPublisher publisher, String user, Map<String, Object> data) {
            publisher.publishEvent(new AuditApplicationEvent(user, TYPE, data));
        }
    }
}
