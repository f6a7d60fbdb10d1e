package io.atoll.app.command;

import java.util.Map;

/**
 * The exit code of a process, as the JVM reports it to the parent. If a signal ended the process, it is that signal's
 * number plus 128.
 */
public record ExitCode(int value) {

    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS = Map.of(1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 4, "SIGILL", 6,
            "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    /** Returns true if a signal ended the process. */
    public boolean isSignal() {
        return value > SIGNALLED;
    }

    /** Returns a text that follows the name of the process. */
    @Override
    public String toString() {
        int signal = value - SIGNALLED;
        return isSignal()
                ? "was ended by " + SIGNALS.getOrDefault(signal, "signal " + signal)
                : "ended with exit code " + value;
    }
}
