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

/** A process of ranks, as the coordinator knows it. */
final class Host {

    /** The end of the names of files with stack traces of a process. */
    static final String STACKS = ".stacks";

    /** The longest time for an answer of a process that is not paused, on a machine that has other work to do. */
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
     * Returns the process's answer.
     *
     * @throws Silent if there is none in time
     * @throws ExecutionException if the process says that it has failed
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

    /** Thrown if the process has not answered. */
    static final class Silent extends Exception {

        private static final long serialVersionUID = 1L;

        Silent(String command, String dump) {
            super("a process does not answer: command=[" + command + "] stacks=" + dump);
        }
    }

    /** Writes down the stacks of its threads. Returns the file. */
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

    /** Returns true if the process has ended by itself. */
    boolean hasFallen() {
        return !killed && !process.isAlive();
    }

    /** Ends the process in order. Returns false if it does not end. */
    boolean end() throws InterruptedException, ExecutionException {
        // From here on the process may be gone.
        killed = true;
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

    /** Returns the findings of the process. */
    List<String> findings() {
        return process.remarks().stream().filter(line -> line.startsWith("finding: ")).toList();
    }

    void writeLog() throws IOException {
        Files.write(log, process.remarks());
    }
}
