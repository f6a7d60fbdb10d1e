package io.atoll.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Threads that wait for other threads, across the locks of several tables. The locks are not read at the same moment.
 * So a cycle that is seen once may not exist; a cycle that lasts is a deadlock.
 *
 * @param edges from each waiting thread to the thread that holds the lock, in the order of tables and locks
 * @param cycles groups of threads that wait for each other in a circle. Each group appears once, its smallest thread
 * first
 */
public record WaitGraph(List<Edge> edges, List<List<Party>> cycles) {

    /**
     * A thread of a rank.
     *
     * @param threadId its number in its process
     * @param thread the beginning of its name
     */
    public record Party(int rank, long threadId, String thread) {

        private static final Comparator<Party> ORDER = Comparator.comparingInt(Party::rank)
                .thenComparingLong(Party::threadId)
                .thenComparing(Party::thread);

        static Party of(LockState.Request request) {
            return new Party(request.rank(), request.threadId(), request.thread());
        }
    }

    /**
     * One thread waits for another one.
     *
     * @param index of the lock in its table
     * @param waited for how long
     */
    public record Edge(Party from, Party to, String table, long index, Duration waited) {}

    /**
     * Returns the graph of these locks.
     *
     * @param tables locks as they were seen, by the name of their table
     */
    public static WaitGraph of(Map<String, ? extends Collection<LockState>> tables) {
        List<Edge> edges = tables.entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(table -> table.getValue()
                        .stream()
                        .sorted(Comparator.comparingLong(LockState::index))
                        .flatMap(lock -> lock.holder()
                                .stream()
                                .flatMap(holder -> lock.waiting()
                                        .stream()
                                        .map(waiter -> new Edge(Party.of(waiter), Party.of(holder), table.getKey(),
                                                lock.index(), waiter.waited())))))
                .toList();
        return new WaitGraph(edges, new Components(edges).cycles());
    }

    /**
     * Finds threads that reach each other (Tarjan, 1972). It avoids recursion, because a chain may be as long as there
     * are threads.
     */
    private static final class Components {

        private record Visit(Party party, Deque<Party> next) {}

        private final Map<Party, Set<Party>> successors = new HashMap<>();
        private final Map<Party, Integer> order = new HashMap<>();
        private final Map<Party, Integer> low = new HashMap<>();
        private final Deque<Party> open = new ArrayDeque<>();
        private final Set<Party> isOpen = new LinkedHashSet<>();
        private final Deque<Visit> visits = new ArrayDeque<>();
        private final List<List<Party>> cycles = new ArrayList<>();

        private Components(List<Edge> edges) {
            for (Edge edge : edges) {
                successors.computeIfAbsent(edge.from(), _ -> new LinkedHashSet<>()).add(edge.to());
            }
        }

        private List<List<Party>> cycles() {
            successors.keySet().stream().sorted(Party.ORDER).forEach(this::visitAll);
            cycles.sort(Comparator.comparing(List::getFirst, Party.ORDER));
            return List.copyOf(cycles);
        }

        private void visitAll(Party first) {
            if (!order.containsKey(first)) {
                begin(first);
            }
            while (!visits.isEmpty()) {
                Visit visit = visits.getLast();
                Party next = visit.next().poll();
                if (next == null) {
                    visits.removeLast();
                    end(visit.party());
                } else if (!order.containsKey(next)) {
                    begin(next);
                } else if (isOpen.contains(next)) {
                    low.merge(visit.party(), order.getOrDefault(next, 0), Math::min);
                }
            }
        }

        private void begin(Party party) {
            order.put(party, order.size());
            low.put(party, order.size() - 1);
            open.addLast(party);
            isOpen.add(party);
            visits.addLast(new Visit(party, new ArrayDeque<>(successors.getOrDefault(party, Set.of()))));
        }

        private void end(Party party) {
            int lowest = low.getOrDefault(party, 0);
            if (!visits.isEmpty()) {
                low.merge(visits.getLast().party(), lowest, Math::min);
            }
            if (lowest < order.getOrDefault(party, 0)) {
                return;
            }
            List<Party> component = new ArrayList<>();
            Party last;
            do {
                last = open.removeLast();
                isOpen.remove(last);
                component.add(last);
            } while (!last.equals(party));
            if (component.size() > 1 || successors.getOrDefault(party, Set.of()).contains(party)) {
                component.sort(Party.ORDER);
                cycles.add(List.copyOf(component));
            }
        }
    }
}
