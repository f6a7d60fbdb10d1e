package io.atoll.fabric.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The last steps of a run, and what each thread was doing when it failed. */
final class Trace {

    private static final int KEPT = 100;
    private static final int FRAMES = 6;
    private static final Pattern MACHINERY = Pattern.compile("java[.]|jdk[.]|"
            + Pattern.quote(Trace.class.getPackageName())
            + "[.](Sim\\w+|Scheduler|Trace|Channel|Event|Backoff)\\b(?<!Test)");

    /** A step. It is not put into words until a report asks for it. */
    private record Step(long number, @Nullable SimThread thread, Object what) {}

    private final Step[] steps = new Step[KEPT];
    private int added;
    private @Nullable String threadsAtFailure;

    void add(long number, @Nullable SimThread thread, Object what) {
        if (threadsAtFailure == null) {
            steps[added++ % KEPT] = new Step(number, thread, what);
        }
    }

    /** Keeps what the threads do now: what they do while they unwind tells nothing. */
    void freeze(List<SimThread> threads) {
        threadsAtFailure = describe(threads);
    }

    String report(List<SimThread> threads) {
        List<String> lines = new ArrayList<>();
        for (int i = Math.max(0, added - KEPT); i < added; i++) {
            Step step = steps[i % KEPT];
            lines.add("%6d  %s  %s".formatted(step.number, step.thread == null ? "world" : step.thread, step.what));
        }
        return "the last steps:\n" + String.join("\n", lines) + "\nthe threads:\n"
                + (threadsAtFailure == null ? describe(threads) : threadsAtFailure);
    }

    private static String describe(List<SimThread> threads) {
        return threads.stream().map(SimThread::describe).collect(Collectors.joining("\n"));
    }

    /** Returns where a thread stands in the code that is simulated. */
    static String framesOf(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> !MACHINERY.matcher(frame.getClassName()).lookingAt())
                .limit(FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }
}
