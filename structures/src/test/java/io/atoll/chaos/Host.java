package io.atoll.chaos;

import io.atoll.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process of ranks, and what is known of it. */
final class Host {

    /** How the files end in which stands what the threads of a process did. */
    static final String STACKS = ".stacks";

    /** How long a process that is not paused may take to answer, on a machine that has other things to do. */
    private static final long PATIENCE_SECONDS = 45;

    private final ChildProcess process;
    private final Path log;
    private boolean paused;
    private boolean killed;

    Host(int heapMegabytes, Path folder, Path log) {
        this(List.of(), heapMegabytes, folder, log);
    }

    /** @param within the words before the command of the process */
    Host(List<String> within, int heapMegabytes, Path folder, Path log) {
        this.process = ChildProcess.start(within, RankProgram.class, "-Xmx" + heapMegabytes + "m",
                CoordinatorFolder.mark(folder));
        this.log = log;
    }

    CompletableFuture<String> tell(String command) {
        return process.tell(command);
    }

    /**
     * Its answer.
     *
     * @throws Silent if there is none in time
     * @throws ExecutionException if it says that it has failed
     */
    String await(CompletableFuture<String> answer, String command) throws Silent, ExecutionException,
            InterruptedException {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new Silent(command, dump());
        }
    }

    String ask(String command) throws Silent, ExecutionException, InterruptedException {
        return await(tell(command), command);
    }

    /** It has not answered. */
    static final class Silent extends Exception {

        private static final long serialVersionUID = 1L;

        Silent(String command, String dump) {
            super("a process does not answer: command=[" + command + "] stacks=" + dump);
        }
    }

    /** Writes down what its threads do, and returns where. */
    String dump() throws InterruptedException {
        try {
            Path file = Files.createTempFile(log.getParent(), log.getFileName().toString(), STACKS);
            Files.writeString(file, process.stacks());
            return file.toString();
        } catch (IOException failure) {
            return "none, " + failure;
        }
    }

    void pause() {
        process.pause();
        paused = true;
    }

    void resume() {
        process.resume();
        paused = false;
    }

    boolean isPaused() {
        return paused;
    }

    void kill() {
        killed = true;
        process.kill();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** It has ended by itself. */
    boolean hasFallen() {
        return !killed && !process.isAlive();
    }

    /** Ends it in order; false if it does not. */
    boolean end() throws InterruptedException, ExecutionException {
        killed = true; // from here on it may be gone
        try {
            return CompletableFuture.supplyAsync(() -> {
                try {
                    return process.end() == 0;
                } catch (IOException | InterruptedException failure) {
                    return false;
                }
            }).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            return false;
        }
    }

    /** What it has found. */
    List<String> findings() {
        return process.remarks().stream().filter(line -> line.startsWith("finding: ")).toList();
    }

    void writeLog() throws IOException {
        Files.write(log, process.remarks());
    }
}
