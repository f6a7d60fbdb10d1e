package io.atoll.world.hazelcast;

import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.logging.AbstractLogger;
import com.hazelcast.logging.ILogger;
import com.hazelcast.logging.LogEvent;
import com.hazelcast.logging.Logger;
import com.hazelcast.logging.LoggerFactorySupport;
import com.hazelcast.logging.Slf4jFactory;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Hazelcast's log, by SLF4J, without what a user can do nothing with. Atoll itself says who has joined and left, so what Hazelcast says at INFO is said at DEBUG. So is its warning about
 * Java's modules: a member that holds no data gains nothing by the access that it asks for.
 */
final class QuietLog extends LoggerFactorySupport {

    private static final String CLASS = "hazelcast.logging.class";
    private static final String SLF4J = "slf4j";

    /** The value of {@code hazelcast.logging.type}. To be read before Hazelcast makes its first logger. */
    static final String TYPE = install();

    private final Slf4jFactory all = new Slf4jFactory();

    /**
     * Hazelcast takes a factory of one's own from the system's properties only. The first that it makes it keeps, and
     * finds it by the name of its class again. So the property is set for as long as that takes. Where the application has used Hazelcast before, the first is another one.
     */
    private static String install() {
        if (System.getProperty(CLASS) != null) {
            return SLF4J; // the user's choice, which counts more than any type
        }
        System.setProperty(CLASS, QuietLog.class.getName());
        try {
            Logger.newLoggerFactory(SLF4J);
        } finally {
            System.clearProperty(CLASS);
        }
        return Logger.getLogger(QuietLog.class) instanceof Quiet ? QuietLog.class.getName() : SLF4J;
    }

    @Override
    protected ILogger createLogger(String name) {
        return new Quiet(all.getLogger(name), name.equals(HazelcastInstanceFactory.class.getName()));
    }

    private static final class Quiet extends AbstractLogger {

        private final ILogger told;
        private final boolean warnsOfModules;

        Quiet(ILogger told, boolean warnsOfModules) {
            this.told = told;
            this.warnsOfModules = warnsOfModules;
        }

        private Level quiet(Level level) {
            boolean isNoise = level == Level.INFO || warnsOfModules && level == Level.WARNING;
            return isNoise ? Level.FINE : level;
        }

        @Override
        public void log(Level level, String message) {
            told.log(quiet(level), message);
        }

        @Override
        public void log(Level level, String message, Throwable thrown) {
            told.log(quiet(level), message, thrown);
        }

        @Override
        @SuppressWarnings("removal") // As long as Hazelcast has it, it calls it.
        public void log(LogEvent event) {
            LogRecord one = event.getLogRecord();
            one.setLevel(quiet(one.getLevel()));
            told.log(event);
        }

        @Override
        public Level getLevel() {
            return told.getLevel();
        }

        @Override
        public boolean isLoggable(Level level) {
            return told.isLoggable(quiet(level));
        }
    }
}
