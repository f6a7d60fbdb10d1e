package io.atoll.queue;

import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.SequentialSpecification;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * One operation on a queue, as histories record it. A push returns a list of 1 or 0, a pop returns the elements.
 *
 * @param elements the elements of a push, or those that are dropped; all elements of a history differ
 * @param most the limit of a pop, or exactly how many it took when it is judged; the new capacity of a move
 * @param host the new host of a move
 */
record QueueOperation(Kind kind, List<Long> elements, int most, int host) {

    enum Kind {
        PUSH, POP, MOVE,
        /**
         * Skips an element that a push did not place because it was cut short. That happens at some moment after the
         * push drew its tickets, if it drew them.
         */
        DROP
    }

    static final List<Long> PUSHED = List.of(1L);
    static final List<Long> FULL = List.of(0L);
    static final List<Long> EMPTY = List.of();

    static final List<Long> MOVED = List.of();

    private static final Long DROPPED = Long.MIN_VALUE;

    static QueueOperation push(Long... elements) {
        return new QueueOperation(Kind.PUSH, List.of(elements), 0, 0);
    }

    static QueueOperation pop(int most) {
        return new QueueOperation(Kind.POP, List.of(), most, 0);
    }

    static QueueOperation move(int host, int capacity) {
        return new QueueOperation(Kind.MOVE, List.of(), capacity, host);
    }

    /**
     * Returns the calls as a queue of limited capacity is judged by them. A pop takes as many as it took. A pop that
     * was cut short took any number. Each element of a push that was cut short may be dropped.
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
                        element -> judged.add(with(call, new QueueOperation(Kind.DROP, List.of(element), 0, 0))));
            }
        }
        return judged;
    }

    private static Call<QueueOperation, List<Long>> with(Call<QueueOperation, List<Long>> call,
            QueueOperation operation) {
        return new Call<>(call.thread(), operation, call.called(), call.isPending() ? History.NEVER : call.returned(),
                call.result());
    }

    /**
     * The contents, first in, first out. An element that was dropped keeps its place until the elements before it are
     * gone.
     *
     * @param left the elements that are left behind in former rings, and take no room
     */
    record Contents(List<Long> left, List<Long> elements, int capacity) {

        private Contents push(List<Long> more) {
            return new Contents(left, joined(elements, more), capacity);
        }

        private boolean hasRoom(int more) {
            return elements.size() + more <= capacity;
        }

        /** Returns the first {@code most} elements that are there, or all for 0, without those that were dropped. */
        private List<Long> first(int most) {
            List<Long> all = joined(left, elements);
            return all.stream()
                    .filter(each -> !each.equals(DROPPED))
                    .limit(most == 0 ? all.size() : most)
                    .toList();
        }

        private Contents without(List<Long> taken) {
            return new Contents(left.stream().filter(each -> !taken.contains(each)).toList(),
                    elements.stream().filter(each -> !taken.contains(each)).toList(), capacity);
        }

        private Contents drop(Long element) {
            return new Contents(replaced(left, element), replaced(elements, element), capacity);
        }

        private static List<Long> replaced(List<Long> list, Long element) {
            return list.stream().map(each -> each.equals(element) ? DROPPED : each).toList();
        }

        private Contents move(int newCapacity) {
            return new Contents(joined(left, elements), List.of(), newCapacity);
        }

        private Contents withoutDroppedAtTheHead() {
            Contents contents = this;
            while (!contents.left.isEmpty() && contents.left.getFirst().equals(DROPPED)) {
                contents = new Contents(contents.left.subList(1, contents.left.size()), elements, capacity);
            }
            while (contents.left.isEmpty() && !contents.elements.isEmpty()
                    && contents.elements.getFirst().equals(DROPPED)) {
                contents = new Contents(List.of(), contents.elements.subList(1, contents.elements.size()), capacity);
            }
            return contents;
        }

        private static List<Long> joined(List<Long> first, List<Long> second) {
            return Stream.concat(first.stream(), second.stream()).toList();
        }
    }

    static SequentialSpecification<Contents, QueueOperation, List<Long>> queue(int capacity) {
        return new SequentialSpecification<>() {

            @Override
            public Contents initial() {
                return new Contents(List.of(), List.of(), capacity);
            }

            @Override
            public Outcome<Contents, List<Long>> apply(Contents queue, QueueOperation operation) {
                Outcome<Contents, List<Long>> outcome = switch (operation.kind) {
                    case PUSH -> queue.hasRoom(operation.elements.size())
                            ? new Outcome<>(queue.push(operation.elements), PUSHED)
                            : new Outcome<>(queue, FULL);
                    case POP -> {
                        List<Long> taken = queue.first(operation.most);
                        yield new Outcome<>(queue.without(taken), taken);
                    }
                    case MOVE -> new Outcome<>(queue.move(operation.most), MOVED);
                    case DROP -> new Outcome<>(queue.drop(operation.elements.getFirst()), EMPTY);
                };
                return new Outcome<>(outcome.state().withoutDroppedAtTheHead(), outcome.result());
            }
        };
    }
}
