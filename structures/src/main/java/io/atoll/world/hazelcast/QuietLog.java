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
 * Hazelcast's log, through SLF4J, without messages that are useless to a user. Atoll itself says which processes have
 * joined and left, so Hazelcast's messages at INFO are logged at DEBUG. So is its warning about Java's modules: a
 * member that holds no data gains nothing by the access that the warning asks for.
 */
final class QuietLog extends LoggerFactorySupport {

    private static final String CLASS = "hazelcast.logging.class";
    private static final String SLF4J = "slf4j";

    /** The value of {@code hazelcast.logging.type}. To be read before Hazelcast makes its first logger. */
    static final String TYPE = install();

    private final Slf4jFactory all = new Slf4jFactory();

    /**
     * Makes this class Hazelcast's log. Hazelcast takes the class of a custom factory from the system's properties
     * only. It keeps the first factory that it makes, and finds it again by the name of its class. So the property is
     * set only as long as that takes. If the application has used Hazelcast before, the first factory is another one.
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
        @SuppressWarnings("removal") // Hazelcast calls it as long as it exists
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
