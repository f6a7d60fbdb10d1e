package io.atoll.app.job;

import java.util.Map;

/** How a process ended, as the JVM tells its parent: one that a signal has ended has that signal's number, and 128. */
public record ExitCode(int value) {

    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS = Map.of(1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 4, "SIGILL", 6,
            "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    boolean isSignal() {
        return value > SIGNALLED;
    }

    /** To be put behind the name of the process. */
    @Override
    public String toString() {
        int signal = value - SIGNALLED;
        return isSignal()
                ? "was ended by " + SIGNALS.getOrDefault(signal, "signal " + signal)
                : "ended with exit code " + value;
    }
}
