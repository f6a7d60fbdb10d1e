package io.atoll;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/** A logger that blocks while it is open, for messages that contain certain words. */
public final class BlockedLogger implements AutoCloseable {

    private final Logger logger;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final UnsynchronizedAppenderBase<ILoggingEvent> appender;

    /**
     * @param owner the class of the logger
     * @param words the words of the messages that it does not write
     */
    public BlockedLogger(Class<?> owner, String words) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        this.logger = context.getLogger(owner.getName());
        this.appender = new UnsynchronizedAppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains(words)) {
                    block();
                }
            }
        };
        appender.setContext(context);
        appender.start();
        logger.addAppender(appender);
    }

    private void block() {
        reached.countDown();
        try {
            released.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when a thread waits for this logger. */
    public void awaitThread() throws InterruptedException {
        reached.await();
    }

    /** Lets the waiting threads go on, and blocks no other thread. */
    public void release() {
        released.countDown();
    }

    @Override
    public void close() {
        release();
        logger.detachAppender(appender);
        appender.stop();
    }
}
