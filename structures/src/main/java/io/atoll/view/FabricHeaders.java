package io.atoll.view;

import io.atoll.background.ThreadsOnDemand;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import io.atoll.view.Electors.Exchange;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Headers by the verbs of a fabric. Each rank is asked by a thread of its own. A silent rank takes seconds. It delays
 * the others for half a second, and is left out until the fabric has given it up. The threads end when no rank is asked
 * for a while.
 */
final class FabricHeaders implements Headers, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FabricHeaders.class);

    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final int MOST_THREADS = 64;
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final Supplier<Fabric> fabric;
    private volatile Endpoint endpoint; // of the last fabric
    private final ExecutorService threads;
    private final Set<Integer> asked = ConcurrentHashMap.newKeySet();
    // the last one of each rank, until the rank answers
    private final Map<Integer, String> failures = new ConcurrentHashMap<>();

    /**
     * @param fabric returns another one when a rank has lost its segment. That rank's new header is at the same place,
     * and has no vote before the rank was added again
     */
    FabricHeaders(Supplier<Fabric> fabric, String name) {
        this.fabric = fabric;
        this.endpoint = new Endpoint(fabric.get());
        this.threads = new ThreadsOnDemand(name, MOST_THREADS, IDLE);
    }

    private Endpoint endpoint() {
        Fabric present = fabric.get();
        Endpoint last = endpoint;
        if (last.fabric() != present) {
            last = new Endpoint(present);
            endpoint = last;
        }
        return last;
    }

    @Override
    public Map<Integer, long[]> read(Collection<Integer> ranks, long offset, int words) {
        Endpoint by = endpoint();
        return all(ranks, rank -> {
            long[] found = new long[words];
            by.read(rank, offset, MemorySegment.ofArray(found), 0, words * Layouts.WORD);
            return found;
        });
    }

    @Override
    public Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long offset) {
        Endpoint by = endpoint();
        return all(exchanges.keySet(), rank -> {
            Exchange exchange = exchanges.getOrDefault(rank, new Exchange(0, 0));
            return by.compareAndExchange(rank, offset, exchange.expected(), exchange.value());
        });
    }

    private <T> Map<Integer, T> all(Collection<Integer> ranks, IntFunction<T> verb) {
        Map<Integer, T> answers = new HashMap<>();
        Map<Integer, Future<T>> others = new HashMap<>();
        int own = endpoint.rank();
        for (int rank : ranks) {
            if (rank != own && asked.add(rank)) {
                others.put(rank, ask(rank, verb));
            }
        }
        if (ranks.contains(own)) {
            answers.put(own, verb.apply(own));
        }
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        Map<Integer, Exception> silent = new HashMap<>();
        List<Error> errors = new ArrayList<>();
        others.forEach((rank, answer) -> {
            try {
                answers.put(rank, answer.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS));
            } catch (ExecutionException failed) {
                silent.put(rank, failed);
                if (failed.getCause() instanceof Error error) {
                    errors.add(error);
                }
            } catch (TimeoutException noAnswer) {
                silent.put(rank, noAnswer);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                silent.put(rank, interrupted);
            }
        });
        if (!silent.isEmpty()) {
            LOG.debug("ranks do not answer about the view: reasons={}", silent);
        }
        if (!errors.isEmpty()) {
            throw errors.getFirst();
        }
        return answers;
    }

    private <T> Future<T> ask(int rank, IntFunction<T> verb) {
        boolean hasBegun = false;
        try {
            Future<T> answer = threads.submit(() -> {
                try {
                    T words = verb.apply(rank);
                    failures.remove(rank);
                    return words;
                } catch (FabricException failure) {
                    failures.put(rank, String.valueOf(failure.getMessage()));
                    throw failure;
                } finally {
                    asked.remove(rank);
                }
            });
            hasBegun = true;
            return answer;
        } finally {
            if (!hasBegun) {
                asked.remove(rank);
            }
        }
    }

    @Override
    public Map<Integer, String> failures() {
        return Map.copyOf(failures);
    }

    /** Asks no rank any more. Does not wait for an answer that is under way: nothing depends on it. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
