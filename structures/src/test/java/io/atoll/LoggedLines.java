package io.atoll;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * Collects the lines that a class logs while this is open. Only lines with certain words count, since other tests log
 * at the same time.
 */
public final class LoggedLines implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final AppenderBase<ILoggingEvent> appender;

    /** @param words of lines that only the test causes */
    public LoggedLines(Class<?> owner, String words) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        this.logger = context.getLogger(owner.getName());
        this.appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains(words)) {
                    lines.add(event.getLevel() + " " + event.getFormattedMessage());
                }
            }
        };
        appender.setContext(context);
        appender.start();
        logger.addAppender(appender);
    }

    /** Returns the lines that were written so far, each with its level before it. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        appender.stop();
    }
}
