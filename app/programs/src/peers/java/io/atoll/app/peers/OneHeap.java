package io.atoll.app.peers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jctools.queues.MpmcArrayQueue;

/**
 * What two threads of one process do with the collections of one heap, as the ranks of Atoll's benchmarks do it: each
 * adds longs of its own, then looks for those of the other one.
 */
final class OneHeap {

    private static final int THREADS = 2;
    private static final double FALSE_POSITIVES = 0.01;

    /** The work of a thread. Its result depends on all of it, so that nothing is optimised away. */
    private interface Loop {
        long run(int thread);
    }

    private final int elements;
    private final Map<String, List<Double>> nanos = new LinkedHashMap<>();

    /** @param elements the number of longs of each thread */
    OneHeap(int elements) {
        this.elements = elements;
    }

    /** Returns the nanoseconds that an operation took, of each counted round, by the name of the operation. */
    Map<String, List<Double>> nanos() {
        return nanos;
    }

    void run(int warmups, int runs) throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 0; round < warmups + runs; round++) {
                int first = round * THREADS;
                long[][] keys = IntStream.range(0, THREADS)
                        .mapToObj(thread -> new SplittableRandom(first + thread).longs(elements).toArray())
                        .toArray(long[][]::new);
                Map<String, Loop> loops = new LinkedHashMap<>();
                addHashMap(loops, keys);
                addCaffeine(loops, keys);
                addQueue(loops);
                addFilter(loops, keys);
                boolean counts = round >= warmups;
                for (Map.Entry<String, Loop> each : loops.entrySet()) {
                    double mean = together(threads, each.getValue());
                    if (counts) {
                        nanos.computeIfAbsent(each.getKey(), _ -> new ArrayList<>()).add(mean);
                    }
                }
            }
        }
    }

    private void addHashMap(Map<String, Loop> loops, long[][] keys) {
        ConcurrentHashMap<Long, Long> map = new ConcurrentHashMap<>(THREADS * elements);
        loops.put("ConcurrentHashMap.put", thread -> {
            for (long key : keys[thread]) {
                map.put(key, key >>> 3);
            }
            return map.size();
        });
        loops.put("ConcurrentHashMap.get", thread -> {
            long sum = 0;
            for (long key : keys[other(thread)]) {
                sum += map.get(key);
            }
            return sum;
        });
        long[][] shuffled = Arrays.stream(keys).map(OneHeap::shuffled).toArray(long[][]::new);
        loops.put("ConcurrentHashMap.get, shuffled", thread -> {
            long sum = 0;
            for (long key : shuffled[other(thread)]) {
                sum += map.get(key);
            }
            return sum;
        });
        loops.put("ConcurrentHashMap.merge", thread -> {
            long sum = 0;
            for (long key : keys[other(thread)]) {
                sum += map.merge(key, 1L, Long::sum);
            }
            return sum;
        });
    }

    /**
     * Returns the keys in another order. Nodes and boxes lie in the heap in the order of insertion, so in that order
     * the processor fetches them ahead.
     */
    private static long[] shuffled(long[] keys) {
        long[] shuffled = keys.clone();
        SplittableRandom random = new SplittableRandom(keys.length);
        for (int left = shuffled.length; left > 1; left--) {
            int other = random.nextInt(left);
            long last = shuffled[left - 1];
            shuffled[left - 1] = shuffled[other];
            shuffled[other] = last;
        }
        return shuffled;
    }

    private void addCaffeine(Map<String, Loop> loops, long[][] keys) {
        Cache<Long, Long> cache = Caffeine.newBuilder().initialCapacity(THREADS * elements).build();
        loops.put("Caffeine.put", thread -> {
            for (long key : keys[thread]) {
                cache.put(key, key);
            }
            return cache.estimatedSize();
        });
        loops.put("Caffeine.getIfPresent", thread -> {
            long found = 0;
            for (long key : keys[other(thread)]) {
                found += cache.getIfPresent(key) != null ? 1 : 0;
            }
            return required(found);
        });
    }

    private void addQueue(Map<String, Loop> loops) {
        MpmcArrayQueue<Long> queue = new MpmcArrayQueue<>(THREADS * elements);
        loops.put("MpmcArrayQueue.offer", _ -> {
            long pushed = 0;
            for (long element = 0; element < elements; element++) {
                pushed += queue.offer(element) ? 1 : 0;
            }
            return required(pushed);
        });
        loops.put("MpmcArrayQueue.poll", _ -> {
            long popped = 0;
            for (long element = 0; element < elements; element++) {
                popped += queue.poll() != null ? 1 : 0;
            }
            return required(popped);
        });
    }

    private void addFilter(Map<String, Loop> loops, long[][] keys) {
        BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), THREADS * elements, FALSE_POSITIVES);
        loops.put("Guava BloomFilter.put", thread -> {
            long added = 0;
            for (long key : keys[thread]) {
                added += filter.put(key) ? 1 : 0;
            }
            return added;
        });
        loops.put("Guava BloomFilter.mightContain", thread -> {
            long found = 0;
            for (long key : keys[other(thread)]) {
                found += filter.mightContain(key) ? 1 : 0;
            }
            return required(found);
        });
    }

    private static int other(int thread) {
        return (thread + 1) % THREADS;
    }

    private long required(long done) {
        if (done != elements) {
            throw new IllegalStateException("operations failed: done=" + done + " elements=" + elements);
        }
        return done;
    }

    /** Returns the mean of the threads' times for one operation. The threads begin at the same time. */
    private double together(ExecutorService threads, Loop loop) throws InterruptedException {
        CyclicBarrier begin = new CyclicBarrier(THREADS);
        List<Future<Long>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            running.add(threads.submit(() -> {
                begin.await();
                long began = System.nanoTime();
                long result = loop.run(number);
                long took = System.nanoTime() - began;
                if (result == Long.MIN_VALUE) {
                    throw new AssertionError("no loop gives this");
                }
                return took;
            }));
        }
        try {
            double sum = 0;
            for (Future<Long> each : running) {
                sum += each.get();
            }
            return sum / THREADS / elements;
        } catch (ExecutionException failure) {
            throw new IllegalStateException("a thread failed", failure.getCause());
        }
    }
}
