package io.atoll.world.hazelcast;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A process that is a rank, for tests that pause and kill processes. Says on its output what it sees whenever that changes; ends with its input. */
final class MembershipProcess implements AutoCloseable {

    private static final String VIEW = "view ";

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private MembershipProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try {
            process.inputReader().lines().forEach(lines::add);
        } catch (UncheckedIOException closed) {
            // So it ends when the process is ended by force.
            lines.add("output closed: " + closed.getMessage());
        }
    }

    static MembershipProcess start(int port, int size, int rank) {
        String java = ProcessHandle.current().info().command().orElseThrow();
        ProcessBuilder builder = new ProcessBuilder(java, "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow", "-cp", System.getProperty("java.class.path"),
                MembershipProcess.class.getName(), "" + port, "" + size, "" + rank);
        try {
            return new MembershipProcess(builder.redirectErrorStream(true).start());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Impatient, so that tests are quick. */
    static HazelcastSettings settings(int port) {
        return HazelcastSettings.defaults().withPort(port).withHeartbeat(Duration.ofSeconds(1), Duration.ofSeconds(3));
    }

    /** What the process has said that it sees, one after the other: {@code [0, 1] majority}, or why it was refused. */
    List<String> views() {
        return lines.stream().filter(line -> line.startsWith(VIEW)).map(line -> line.substring(VIEW.length())).toList();
    }

    /** All that the process has said. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    void kill() {
        signal("KILL");
    }

    private void signal(String name) {
        try {
            int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO()
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException("no signal could be sent: status=" + status);
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("no signal could be sent: signal=" + name, failure);
        }
    }

    /** Ends the process in order, once it runs. */
    int end() throws InterruptedException, IOException {
        process.getOutputStream().close();
        return process.waitFor();
    }

    /** Ends the process, whatever state it is in. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        WorldIdentity world = new WorldIdentity("shop", Integer.parseInt(arguments[1]));
        Member self = new Member(world, Integer.parseInt(arguments[2]), 1, Map.of());
        try (HazelcastMembership membership = new HazelcastMembership(settings(port))) {
            membership.join(self, () -> System.out.println(VIEW + view(membership)));
            System.in.transferTo(System.out);
        }
        System.out.println("threads left: " + Thread.getAllStackTraces()
                .keySet()
                .stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hz.") || name.startsWith("atoll-"))
                .sorted()
                .collect(Collectors.joining(" ")));
    }

    private static String view(HazelcastMembership membership) {
        return membership.refusal()
                .map(refusal -> "refused " + refusal.reason())
                .orElseGet(() -> membership.members().stream().map(Member::rank).sorted().toList()
                        + (membership.inMajority() ? " majority" : ""));
    }
}
