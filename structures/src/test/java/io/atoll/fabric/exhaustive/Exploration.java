package io.atoll.fabric.exhaustive;

import io.atoll.fabric.exhaustive.Process.Event;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.exhaustive.Process.Progress;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.History.Call;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Explores all orders in which the verbs of a few processes can take effect, and all moments at which a mortal process
 * can stop. Histories are as narrow as possible: an operation begins with its first verb and ends with its last.
 * <pre>{@code
 * Outcome<Operation, Long> outcome = new Exploration<Operation, Long>(16)
 *     .before(process -> ...)                        // alone
 *     .process(process -> () -> process.call(operation, () -> process.fabric().getAndAdd(0, 0, 1)))
 *     .process(...)
 *     .afterwards(process -> ...)                    // alone, when all have ended
 *     .explore(calls -> Linearizability.holds(calls, SPECIFICATION));
 * }</pre>
 */
public final class Exploration<O, R> {

    /**
     * @param states the number of states that were visited
     * @param counterexample a history that is not accepted; null if there is none
     */
    public record Outcome<O, R>(int states, @Nullable List<Call<O, R>> counterexample) {}

    /** An event of a process, named by its index among the events of this process. */
    private record Happened(int process, int index) {}

    private enum Status {
        RUNNING, STOPPED, REPAIRED
    }

    /** @param found what the verbs of each process have returned */
    private record State(Words memory, List<List<Words>> found, List<Happened> history, List<Status> status) {

        State with(int process, Status present, Words changed) {
            return new State(changed, found, history, replaced(status, process, present));
        }
    }

    private final int words;
    private final List<Program<O, R>> programs = new ArrayList<>();
    // By process; null for a process that is immortal.
    private final List<@Nullable Program<O, R>> repairs = new ArrayList<>();
    private Program<O, R> before = process -> () -> {};
    private Program<O, R> afterwards = process -> () -> {};

    /** @param words the number of words of memory that the processes share; they are zero at first */
    public Exploration(int words) {
        this.words = words;
    }

    /** Sets the program that runs first. Its calls are not in the history. */
    public Exploration<O, R> before(Program<O, R> program) {
        before = program;
        return this;
    }

    public Exploration<O, R> process(Program<O, R> program) {
        programs.add(program);
        repairs.add(null);
        return this;
    }

    /** Adds a process that may stop for good before any of its steps. Some time later the repair runs, in one step. */
    public Exploration<O, R> mortal(Program<O, R> program, Program<O, R> repair) {
        programs.add(program);
        repairs.add(repair);
        return this;
    }

    /** Sets the program that runs last. Its calls are in the history. */
    public Exploration<O, R> afterwards(Program<O, R> program) {
        afterwards = program;
        return this;
    }

    /**
     * Visits every state that can come about.
     *
     * @param accepts returns true if the history of a run, up to its end, is right
     */
    public Outcome<O, R> explore(Predicate<List<Call<O, R>>> accepts) {
        return new Search<>(this).run(accepts);
    }

    /** The processes of one search. */
    private static final class Search<O, R> {

        private final List<Process<O, R>> processes = new ArrayList<>();
        private final List<@Nullable Process<O, R>> repairs = new ArrayList<>();
        private final Process<O, R> before;
        private final Process<O, R> afterwards;
        private final int words;

        Search(Exploration<O, R> exploration) {
            int size = exploration.programs.size();
            for (int rank = 0; rank < size; rank++) {
                processes.add(new Process<>(new ReplayedFabric(rank, size), exploration.programs.get(rank)));
                Program<O, R> repair = exploration.repairs.get(rank);
                repairs.add(repair == null ? null : new Process<>(new ReplayedFabric(rank, size), repair));
            }
            before = new Process<>(new ReplayedFabric(0, size), exploration.before);
            afterwards = new Process<>(new ReplayedFabric(0, size), exploration.afterwards);
            words = exploration.words;
        }

        Outcome<O, R> run(Predicate<List<Call<O, R>>> accepts) {
            State first = new State(alone(before, new Words(new long[words]), new ArrayList<>()),
                    Collections.nCopies(processes.size(), List.of()), List.of(),
                    Collections.nCopies(processes.size(), Status.RUNNING));
            Set<State> visited = new HashSet<>(Set.of(first));
            Deque<State> open = new ArrayDeque<>(List.of(first));
            while (!open.isEmpty()) {
                State state = open.pop();
                List<State> successors = successors(state);
                if (successors.isEmpty()) {
                    List<Call<O, R>> calls = calls(state);
                    if (!accepts.test(calls)) {
                        return new Outcome<>(visited.size(), calls);
                    }
                }
                successors.stream().filter(visited::add).forEach(open::push);
            }
            return new Outcome<>(visited.size(), null);
        }

        private List<State> successors(State state) {
            List<State> successors = new ArrayList<>();
            for (int process = 0; process < processes.size(); process++) {
                Process<O, R> repair = repairs.get(process);
                Verb next = processes.get(process).after(state.found.get(process)).next();
                if (state.status.get(process) == Status.STOPPED && repair != null) {
                    Words repaired = alone(repair, state.memory, new ArrayList<>());
                    successors.add(state.with(process, Status.REPAIRED, repaired));
                } else if (state.status.get(process) == Status.RUNNING && next != null) {
                    successors.add(step(state, process, next));
                    if (repair != null) {
                        successors.add(state.with(process, Status.STOPPED, state.memory));
                    }
                }
            }
            return successors;
        }

        private State step(State state, int process, Verb verb) {
            int verbs = state.found.get(process).size();
            List<Words> found = plus(state.found.get(process), verb.found(state.memory));
            List<Happened> history = new ArrayList<>(state.history);
            List<Event<O, R>> events = processes.get(process).after(found).events();
            for (int index = 0; index < events.size(); index++) {
                // A call comes with the verb that follows it, a return with the verb before.
                if (events.get(index).verbs() == (events.get(index).isCall() ? verbs : verbs + 1)) {
                    history.add(new Happened(process, index));
                }
            }
            return new State(verb.applyTo(state.memory), replaced(state.found, process, found), List.copyOf(history),
                    state.status);
        }

        /** Runs a process to its end without the others. Returns the memory that it leaves behind. */
        private Words alone(Process<O, R> process, Words memory, List<Event<O, R>> events) {
            List<Words> found = List.of();
            Words now = memory;
            Progress<O, R> progress = process.after(found);
            for (Verb next = progress.next(); next != null; next = progress.next()) {
                found = plus(found, next.found(now));
                now = next.applyTo(now);
                progress = process.after(found);
            }
            events.addAll(progress.events());
            return now;
        }

        private List<Call<O, R>> calls(State state) {
            List<Call<O, R>> calls = new ArrayList<>();
            long time = 0;
            for (Happened happened : state.history) {
                List<Words> found = state.found.get(happened.process);
                Event<O, R> event = processes.get(happened.process).after(found).events().get(happened.index);
                enter(calls, "process " + happened.process, event, time++);
            }
            List<Event<O, R>> last = new ArrayList<>();
            alone(afterwards, state.memory, last);
            for (Event<O, R> event : last) {
                enter(calls, "afterwards", event, time++);
            }
            return calls;
        }
    }

    private static <O, R> void enter(List<Call<O, R>> calls, String thread, Event<O, R> event, long time) {
        if (event.isCall()) {
            calls.add(new Call<>(thread, event.operation(), time, History.NEVER, null));
            return;
        }
        int index = calls.size() - 1;
        while (!calls.get(index).thread().equals(thread)) {
            index--;
        }
        Call<O, R> begun = calls.get(index);
        calls.set(index, new Call<>(thread, begun.operation(), begun.called(), time, event.result()));
    }

    private static <T> List<T> replaced(List<T> list, int index, T element) {
        List<T> copy = new ArrayList<>(list);
        copy.set(index, element);
        return List.copyOf(copy);
    }

    private static <T> List<T> plus(List<T> list, T element) {
        List<T> copy = new ArrayList<>(list);
        copy.add(element);
        return List.copyOf(copy);
    }
}
