package io.atoll.fabric.exhaustive;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.exhaustive.ReplayedFabric.NewVerb;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One of the processes whose steps are explored. Its program must do the same whenever its verbs find the same.
 *
 * @param <O> operation with its arguments
 * @param <R> result
 */
public final class Process<O, R> {

    /** What a process does. */
    public interface Program<O, R> {

        /** Called once, to prepare; what it returns is run again and again. */
        Runnable of(Process<O, R> process);
    }

    /**
     * The begin or the end of an operation.
     *
     * @param verbs that the process had taken before it
     * @param result null at the begin
     */
    record Event<O, R>(O operation, boolean isCall, @Nullable R result, int verbs) {}

    /**
     * What a process has done when its verbs have found something, and what it does next.
     *
     * @param next null if it has ended
     */
    record Progress<O, R>(List<Event<O, R>> events, @Nullable Verb next) {}

    private final ReplayedFabric fabric;
    private final Runnable program;
    private final Map<List<Words>, Progress<O, R>> known = new HashMap<>();
    private List<Event<O, R>> events = new ArrayList<>();

    Process(ReplayedFabric fabric, Program<O, R> program) {
        this.fabric = fabric;
        this.program = program.of(this);
    }

    public Fabric fabric() {
        return fabric;
    }

    /** Calls the body as an operation of the history. */
    public R call(O operation, Supplier<R> body) {
        events.add(new Event<>(operation, true, null, fabric.verbs()));
        R result = body.get();
        events.add(new Event<>(operation, false, result, fabric.verbs()));
        return result;
    }

    Progress<O, R> after(List<Words> found) {
        return known.computeIfAbsent(found, this::run);
    }

    private Progress<O, R> run(List<Words> found) {
        events = new ArrayList<>();
        fabric.replay(found);
        try {
            program.run();
            return new Progress<>(List.copyOf(events), null);
        } catch (NewVerb next) {
            return new Progress<>(List.copyOf(events), next.verb);
        }
    }
}
