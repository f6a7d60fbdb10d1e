package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.atoll.memory.WorldIdentity;
import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import io.atoll.world.Member;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Uses a process of its own, because Hazelcast's loggers belong to the process. */
@Tag("processes")
@Timeout(180)
class QuietLogTest {

    /** Starts and ends two members, and returns what Hazelcast logs meanwhile. */
    static final class Starting implements Program {

        private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();

        @Override
        public String obey(String command, List<String> arguments) throws InterruptedException {
            Logger hazelcast = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("com.hazelcast");
            hazelcast.setLevel(Level.DEBUG);
            hazelcast.setAdditive(false);
            hazelcast.addAppender(started(new AppenderBase<ILoggingEvent>() {
                @Override
                protected void append(ILoggingEvent event) {
                    logged.add(event);
                }
            }));
            int port = Integer.parseInt(arguments.getFirst());
            for (int rank = 0; rank < 2; rank++) {
                HazelcastMembership membership = new HazelcastMembership(MembershipProcess.settings(port));
                membership.join(new Member(new WorldIdentity("shop", 2), rank, 1, Map.of()), () -> {});
                membership.close();
            }
            return switch (command) {
                case "quiet" -> logged.stream()
                        .filter(event -> !event.getLevel().isGreaterOrEqual(Level.INFO))
                        .count() + "";
                case "loud" -> logged.stream()
                        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                        .map(event -> event.getLevel() + " " + event.getLoggerName() + " "
                                + event.getFormattedMessage().lines().findFirst().orElse(""))
                        .collect(Collectors.joining("; "));
                default -> throw new IllegalArgumentException("no such command: command=" + command);
            };
        }

        @Override
        public void close() {
            // Each member was ended by the command that started it.
        }

        private static AppenderBase<ILoggingEvent> started(AppenderBase<ILoggingEvent> appender) {
            appender.start();
            return appender;
        }
    }

    @Test
    void aStartSaysNothingThatNobodyCanActUpon() throws Exception {
        try (ChildProcess process = ChildProcess.start(Starting.class)) {
            assertThat(process.ask("loud " + FreePorts.range(10))).isEmpty();
            assertThat(Integer.parseInt(process.ask("quiet " + FreePorts.range(10)))).isPositive();
        }
    }
}
