package io.atoll.admin.api;

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
 * Writes down who did what, and who was refused: in the log, and as Spring Boot's audit events where its actuator is there.
 * Strangers can have themselves refused as often as they like, so of these only some a minute are written down.
 */
final class Audit {

    /** The type of the events of what was done, or failed. */
    static final String TYPE = "ATOLL_ACTION";

    /** The type of the events of what was refused. */
    static final String REFUSED_TYPE = "ATOLL_ACTION_REFUSED";

    static final int MOST_REFUSED_A_MINUTE = 20;

    private static final int LONGEST_TEXT = 200;
    private static final String NOBODY = "";

    private static final boolean HAS_ACTUATOR = ClassUtils.isPresent(
            "org.springframework.boot.actuate.audit.listener.AuditApplicationEvent", Audit.class.getClassLoader());

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final ApplicationEventPublisher publisher;
    private final MinuteBudget refusals;

    /** @param nanoTime such as {@link System#nanoTime} */
    Audit(ApplicationEventPublisher publisher, LongSupplier nanoTime) {
        this.publisher = publisher;
        this.refusals = new MinuteBudget(MOST_REFUSED_A_MINUTE, nanoTime);
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
            Events.publish(publisher, user, TYPE,
                    Map.of("action", action, "subject", subject, "outcome", outcome));
        }
    }

    /**
     * @param user as whom the caller is authenticated; null if he is not
     * @param address that the request came from
     * @param action that was asked for, by its name in the API
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

    /** What a caller has sent must not look like another line of the log, nor fill it. */
    private static String oneLine(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST_TEXT))
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }

    /** Apart, so that an application without the actuator need not have its classes. */
    private static final class Events {

        static void publish(ApplicationEventPublisher publisher, String user, String type, Map<String, Object> data) {
            publisher.publishEvent(new AuditApplicationEvent(user, type, data));
        }
    }
}
