package io.atoll.world.hazelcast;

import io.atoll.memory.WorldIdentity;
import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import io.atoll.world.Member;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A process that is a rank, for tests that pause and kill processes. It says what it sees whenever that changes, and in
 * the end which threads are left.
 */
final class MembershipProcess implements AutoCloseable {

    private static final String VIEW = "view ";

    /** What runs in the process. */
    static final class Joining implements Program {

        private @Nullable HazelcastMembership membership;
        private String said = "";

        @Override
        public String obey(String command, List<String> arguments) throws InterruptedException {
            List<Integer> numbers = arguments.stream().map(Integer::valueOf).toList();
            HazelcastMembership joining = new HazelcastMembership(
                    settings(numbers.get(0)).withHeartbeat(HEARTBEAT, Duration.ofSeconds(numbers.get(3))));
            membership = joining;
            WorldIdentity world = new WorldIdentity("shop", numbers.get(1));
            joining.join(new Member(world, numbers.get(2), 1, Map.of()), () -> say(joining));
            return "joined";
        }

        /**
         * Says each view once, one at a time, so that the last one is what the process sees. All of a view was seen at
         * one moment.
         */
        private synchronized void say(HazelcastMembership joining) {
            String view;
            do {
                view = view(joining);
            } while (!view.equals(view(joining)));
            if (!view.equals(said)) {
                said = view;
                IO.println(VIEW + view);
            }
        }

        private static String view(HazelcastMembership membership) {
            return membership.refusal()
                    .map(refusal -> "refused " + refusal.reason())
                    .orElseGet(() -> membership.members().stream().map(Member::rank).sorted().toList().toString());
        }

        @Override
        public void close() {
            if (membership != null) {
                membership.close();
            }
            IO.println("threads left: " + Thread.getAllStackTraces()
                    .keySet()
                    .stream()
                    .filter(thread -> thread.getName().startsWith("hz.") || thread.getName().startsWith("atoll-"))
                    .filter(Joining::goesOn)
                    .map(Thread::getName)
                    .sorted()
                    .collect(Collectors.joining(" ")));
        }

        /** Some threads have been told to end, but no thread has waited for that. */
        private static boolean goesOn(Thread thread) {
            try {
                return !thread.join(Duration.ofSeconds(5));
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
    }

    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(2);

    private final ChildProcess process = ChildProcess.start(Joining.class);

    private MembershipProcess(int port, int size, int rank, Duration heartbeatTimeout) {
        // Its views tell whether it has joined.
        process.tell("join %d %d %d %d".formatted(port, size, rank, heartbeatTimeout.toSeconds()));
    }

    static MembershipProcess start(int port, int size, int rank) {
        return new MembershipProcess(port, size, rank, HEARTBEAT_TIMEOUT);
    }

    /** For a test in which no member falls silent: it waits for members that a busy machine makes late. */
    static MembershipProcess startPatient(int port, int size, int rank) {
        return new MembershipProcess(port, size, rank, Duration.ofSeconds(60));
    }

    /** Impatient settings, so that tests are quick. */
    static HazelcastSettings settings(int port) {
        return HazelcastSettings.defaults().withPort(port).withHeartbeat(HEARTBEAT, HEARTBEAT_TIMEOUT);
    }

    /** Returns what the process has said that it sees, in order: {@code [0, 1]}, or why it was refused. */
    List<String> views() {
        return lines().stream()
                .filter(line -> line.startsWith(VIEW))
                .map(line -> line.substring(VIEW.length()))
                .toList();
    }

    /** Returns everything that the process has said. */
    List<String> lines() {
        return process.remarks();
    }

    void pause() {
        process.pause();
    }

    void resume() {
        process.resume();
    }

    void kill() {
        process.kill();
    }

    /** Ends the process in order, once it runs. */
    int end() throws InterruptedException, IOException {
        return process.end();
    }

    /** Ends the process, whatever state it is in. */
    @Override
    public void close() {
        process.close();
    }
}
