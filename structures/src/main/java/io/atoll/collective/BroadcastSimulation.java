package io.atoll.collective;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.UnaryOperator;

/**
 * Simulates a broadcast, event by event, in a world that behaves as {@link LogGP} says. It serves for numbers of ranks
 * that cannot be measured, and for what the formulas leave out. The formulas leave out a sender's wait for its gap,
 * trees that are not full, and the root's counter. All other members add to this counter, one gap after the other. So
 * the tree's time, too, grows with the number of ranks, if only by a gap for each.
 */
public final class BroadcastSimulation {

    /**
     * The times of the events, in nanoseconds from the start.
     *
     * @param arrivedNanos when the data is everywhere
     * @param completedNanos when the root knows that
     * @param messages the number of messages that were sent, atomics included
     */
    public record Outcome(double arrivedNanos, double completedNanos, long messages) {}

    /** A member has seen a request, or its addition has arrived at the root. */
    private record Event(double nanos, int shifted, boolean isAddition) {}

    private final LogGP costs;
    private final int ranks;
    private final UnaryOperator<int[]> order;
    private final double interval; // the time between two messages of a sender
    private final double transfer; // the transfer time of what follows the first byte
    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingDouble(Event::nanos));
    private double arrived;
    private double counted;
    private long messages;

    private BroadcastSimulation(LogGP costs, int ranks, long bytes, UnaryOperator<int[]> order) {
        LogGP.check(ranks, bytes);
        this.costs = costs;
        this.ranks = ranks;
        this.order = order;
        this.interval = Math.max(costs.gap(), costs.overhead());
        this.transfer = (bytes - 1) * costs.gapPerByte();
    }

    /** Runs a broadcast of {@code bytes} bytes to {@code ranks} ranks, the root included. */
    public static Outcome run(LogGP costs, Algorithm algorithm, int ranks, long bytes) {
        var simulation = new BroadcastSimulation(costs, ranks, bytes, UnaryOperator.identity());
        return switch (algorithm) {
            case LINEAR -> simulation.linear();
            case BINOMIAL -> simulation.binomial();
        };
    }

    /** @param order the order in which children are served, made from the bits in descending order */
    static Outcome binomial(LogGP costs, int ranks, long bytes, UnaryOperator<int[]> order) {
        return new BroadcastSimulation(costs, ranks, bytes, order).binomial();
    }

    private Outcome linear() {
        double sent = costs.overhead();
        for (int rank = 1; rank < ranks; rank++) {
            sent += rank == 1 ? transfer : interval + transfer;
            arrived = sent + costs.latency();
            messages++;
        }
        return new Outcome(arrived, ranks == 1 ? 0 : arrived + costs.latency(), messages);
    }

    private Outcome binomial() {
        pass(new Event(0, 0, false));
        while (!events.isEmpty()) {
            Event event = events.remove();
            if (event.isAddition()) {
                counted = Math.max(event.nanos(), counted + costs.gap());
            } else {
                arrived = Math.max(arrived, event.nanos());
                pass(event);
            }
        }
        return new Outcome(arrived, counted, messages);
    }

    /** Sends data, description and request to each child, then the addition. */
    private void pass(Event reached) {
        double first = reached.nanos() + costs.overhead();
        for (int bit : order.apply(BinomialTree.bitsToChildren(reached.shifted(), ranks))) {
            double last = first + transfer + 2 * interval;
            send(last + costs.receiveOverhead(), reached.shifted() + (1 << bit), false);
            messages += 2;
            first = last + interval;
        }
        if (reached.shifted() != 0) {
            send(first, reached.shifted(), true);
        }
    }

    private void send(double sentNanos, int shifted, boolean isAddition) {
        events.add(new Event(sentNanos + costs.latency(), shifted, isAddition));
        messages++;
    }
}
