package io.atoll.process;

import static org.awaitility.Awaitility.await;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that runs a {@link Program} for a test. The test tells it what to do, and may pause and kill it. A command is a
 * line of its input, and the reply is a line of its output. Other lines that it prints are remarks. The process ends
 * when its input ends, so it never outlives the test.
 */
public final class ChildProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final String REPLY = "= ";
    private static final String FAILURE = "! ";

    /**
     * The program has failed to execute a command. The message is the simple class name and the message of the failure.
     */
    public static final class Failure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Failure(String message) {
            super(message);
        }
    }

    private final Process process;
    private final BufferedWriter input;
    // Guarded by this object.
    private final Queue<CompletableFuture<String>> asked = new ArrayDeque<>();
    private final List<String> remarks = new CopyOnWriteArrayList<>();
    // True if the output has ended; guarded by this object.
    private boolean ended;

    private ChildProcess(Process process) {
        this.process = process;
        this.input = process.outputWriter();
        // A platform thread, because a virtual thread would keep its carrier while it reads, as long as the process
        // lives.
        Thread.ofPlatform().daemon().name("output of " + process.pid()).start(this::read);
    }

    /**
     * Starts the program in a JVM of its own.
     *
     * @param options options of the JVM, such as {@code -Xmx24m}; they override those that every program has
     */
    public static ChildProcess start(Class<? extends Program> program, String... options) {
        return start(List.of(), program, options);
    }

    /**
     * Starts the program by another command.
     *
     * @param within the words before the JVM's command. They are a command that becomes the JVM itself, as nsenter does
     */
    public static ChildProcess start(List<String> within, Class<? extends Program> program, String... options) {
        return start(within, System.getProperty("java.class.path"), program, options);
    }

    /**
     * Starts the program with other classes instead of the project's classes.
     *
     * @param classes the folder of these classes
     */
    public static ChildProcess startWith(Path classes, Class<? extends Program> program, String... options) {
        return start(List.of(), classes + File.pathSeparator + System.getProperty("java.class.path"), program,
                options);
    }

    private static ChildProcess start(List<String> within, String classPath, Class<? extends Program> program,
            String... options) {
        List<String> command = new ArrayList<>(within);
        command.addAll(List.of(tool("java"), "-ea", "-Xmx64m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, ChildProcess.class.getName(),
                program.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        try {
            return new ChildProcess(builder.redirectErrorStream(true).start());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private void read() {
        try {
            process.inputReader().lines().forEach(this::hear);
        } catch (UncheckedIOException closed) {
            // The output ends like this when the process is killed.
            remarks.add("output closed: " + closed.getMessage());
        }
        synchronized (this) {
            ended = true;
            asked.forEach(this::tellEnd);
        }
    }

    private void tellEnd(CompletableFuture<String> reply) {
        reply.completeExceptionally(new IllegalStateException("the process has ended: said=" + remarks));
    }

    private void hear(String line) {
        if (line.startsWith(REPLY)) {
            next().complete(line.substring(REPLY.length()));
        } else if (line.startsWith(FAILURE)) {
            next().completeExceptionally(new Failure(line.substring(FAILURE.length())));
        } else {
            remarks.add(line);
        }
    }

    private synchronized CompletableFuture<String> next() {
        return asked.remove();
    }

    /** Tells the process what to do, and does not wait until it is done. */
    public synchronized CompletableFuture<String> tell(String command) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        if (ended) {
            tellEnd(reply);
            return reply;
        }
        asked.add(reply);
        try {
            input.write(command + "\n");
            input.flush();
        } catch (IOException ending) {
            reply.completeExceptionally(ending);
        }
        return reply;
    }

    /**
     * Tells the process what to do, and returns its reply.
     *
     * @throws Failure if the process replies that the command has failed
     */
    public String ask(String command) {
        try {
            return tell(command).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof Failure told) {
                throw told;
            }
            throw failure;
        }
    }

    /** Returns all lines that the process has printed except replies. */
    public List<String> remarks() {
        return List.copyOf(remarks);
    }

    /** Pauses the process. Returns when the process has stopped. */
    public void pause() {
        signal("STOP");
        await().atMost(PATIENCE).until(() -> state() == 'T');
    }

    public void resume() {
        signal("CONT");
    }

    /** Returns the state of the process. The kernel writes it behind the name, which is in parentheses. */
    private char state() throws IOException {
        String status = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        return status.charAt(status.lastIndexOf(')') + 2);
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

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Returns the stacks of all threads of the process, virtual ones too. The process must not be paused. */
    public String stacks() throws IOException, InterruptedException {
        Path threads = Files.createTempFile("threads-" + process.pid() + "-", ".txt");
        try {
            String monitors = run("jstack", "" + process.pid());
            String written = run("jcmd", "" + process.pid(), "Thread.dump_to_file", "-overwrite", "" + threads);
            return monitors + written + Files.readString(threads);
        } finally {
            Files.delete(threads);
        }
    }

    private static String run(String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("timeout", "" + PATIENCE.toSeconds(), tool(tool)));
        command.addAll(List.of(arguments));
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream output = run.getInputStream()) {
            return new String(output.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            run.waitFor();
        }
    }

    /** Ends the process by SIGKILL, whatever its state is. Returns when the process is gone. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Ends the process in order, and returns its status. */
    public int end() throws IOException, InterruptedException {
        input.close();
        return process.waitFor();
    }

    /** As {@link #kill}. */
    @Override
    public void close() {
        kill();
    }

    // --- in the process itself ---

    public static void main(String[] arguments) throws Exception {
        var constructor = Class.forName(arguments[0]).asSubclass(Program.class).getDeclaredConstructor();
        constructor.setAccessible(true);
        try (Program program = constructor.newInstance()) {
            for (String line = IO.readln(); line != null; line = IO.readln()) {
                IO.println(answer(program, List.of(line.split(" "))));
            }
        }
    }

    private static String answer(Program program, List<String> words) {
        try {
            return REPLY + program.obey(words.getFirst(), words.subList(1, words.size()));
        } catch (Exception failure) {
            return FAILURE + failure.getClass().getSimpleName() + ": "
                    + String.valueOf(failure.getMessage()).replace('\n', ' ');
        }
    }
}
