package io.atoll;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/** A logger that does not return while it is open, where what it is to write has certain words. */
public final class BlockedLogger implements AutoCloseable {

    private final Logger logger;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final UnsynchronizedAppenderBase<ILoggingEvent> appender;

    /**
     * @param owner whose logger it is
     * @param words of the messages that it does not write
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

    /** Returns when a thread waits for it. */
    public void awaitThread() throws InterruptedException {
        reached.await();
    }

    /** Lets the threads that wait for it go on, and keeps no other waiting. */
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
