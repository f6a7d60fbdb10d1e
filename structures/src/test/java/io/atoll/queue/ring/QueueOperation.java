package io.atoll.queue.ring;

import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.SequentialSpecification;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One operation on a queue, as histories record it. What a push returns is a list of 1 or 0, what a pop returns the elements.
 *
 * @param elements of a push, or of what is dropped; all elements of a history differ
 * @param most of a pop; for judging, exactly how many it took
 */
record QueueOperation(Kind kind, List<Long> elements, int most) {

    enum Kind {
        PUSH, POP,
        /** What a push that was cut short has not placed is skipped: some time after its tickets were drawn, if they were. */
        DROP
    }

    static final List<Long> PUSHED = List.of(1L);
    static final List<Long> FULL = List.of(0L);
    static final List<Long> EMPTY = List.of();

    private static final Long DROPPED = Long.MIN_VALUE;

    static QueueOperation push(Long... elements) {
        return new QueueOperation(Kind.PUSH, List.of(elements), 0);
    }

    static QueueOperation pop(int most) {
        return new QueueOperation(Kind.POP, List.of(), most);
    }

    /**
     * The calls as a queue of so many elements is judged by them: a pop takes as many as it took; one that was cut short took any number; and each element of a
     * push that was cut short may be dropped.
     */
    static List<Call<QueueOperation, List<Long>>> judged(List<Call<QueueOperation, List<Long>>> calls) {
        List<Call<QueueOperation, List<Long>>> judged = new ArrayList<>();
        for (Call<QueueOperation, List<Long>> call : calls) {
            QueueOperation operation = call.operation();
            if (!call.isPending()) {
                judged.add(operation.kind == Kind.POP ? with(call, pop(call.result().size())) : call);
            } else if (operation.kind == Kind.POP) {
                judged.addAll(Collections.nCopies(operation.most, with(call, pop(1))));
            } else {
                judged.add(call);
                operation.elements.forEach(
                        element -> judged.add(with(call, new QueueOperation(Kind.DROP, List.of(element), 0))));
            }
        }
        return judged;
    }

    private static Call<QueueOperation, List<Long>> with(Call<QueueOperation, List<Long>> call,
            QueueOperation operation) {
        return new Call<>(call.thread(), operation, call.called(), call.isPending() ? History.NEVER : call.returned(),
                call.result());
    }

    /** First in, first out. What was dropped keeps its place until what came before it is gone. */
    static SequentialSpecification<List<Long>, QueueOperation, List<Long>> queue(int capacity) {
        return new SequentialSpecification<>() {

            @Override
            public List<Long> initial() {
                return List.of();
            }

            @Override
            public Outcome<List<Long>, List<Long>> apply(List<Long> queue, QueueOperation operation) {
                List<Long> changed = new ArrayList<>(queue);
                List<Long> result = switch (operation.kind) {
                    case PUSH -> {
                        boolean room = queue.size() + operation.elements.size() <= capacity;
                        changed.addAll(room ? operation.elements : List.of());
                        yield room ? PUSHED : FULL;
                    }
                    case POP -> {
                        List<Long> taken = operation.most == 0 && !queue.isEmpty()
                                ? queue
                                : queue.stream().filter(each -> !each.equals(DROPPED)).limit(operation.most).toList();
                        changed.removeAll(taken);
                        yield taken;
                    }
                    case DROP -> {
                        Collections.replaceAll(changed, operation.elements.getFirst(), DROPPED);
                        yield EMPTY;
                    }
                };
                while (!changed.isEmpty() && changed.getFirst().equals(DROPPED)) {
                    changed.removeFirst();
                }
                return new Outcome<>(List.copyOf(changed), result);
            }
        };
    }
}
