package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * What each rank measures: pushes and pops of longs into one queue at rank 0, and in turn into a queue of each rank, the rows of BCL's figures 10 and 11; and in
 * the same run the compare-and-exchange, stores and loads alone that such an operation cannot do without, on as much of the same memory.
 *
 * @param elements that each rank pushes in each phase, and pops in the next
 */
record QueueBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final int MESSAGE = 1_024;
    private static final long SLOT_BYTES = 16;
    private static final long SPARE_BYTES = 8 << 20;

    /** Rank 0 holds three queues of everybody's elements, and each rank two of those that are sent to it. */
    private long segmentBytes(int ranks) {
        long bytes = (SLOT_BYTES * 2 + Long.BYTES) * (capacity(ranks) + shareCapacity(ranks));
        return (bytes / SPARE_BYTES + 2) * SPARE_BYTES;
    }

    private long capacity(int ranks) {
        return (long) ranks * elements;
    }

    /** Each rank sends its first message to the first queue. */
    private long shareCapacity(int ranks) {
        return elements + (long) ranks * MESSAGE;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes(rank.size()));
        Circular circular = new Circular(open(world, "one", 1, capacity(rank.size())), elements);
        Circular many = new Circular(open(world, "many", rank.size(), shareCapacity(rank.size())), elements);
        Fast fast = new Fast(openFast(world, "fast-one", 1, capacity(rank.size())), elements);
        Fast fastMany = new Fast(openFast(world, "fast-many", rank.size(), shareCapacity(rank.size())), elements);
        RawQueue raw = RawQueue.open(world, capacity(rank.size()));
        rounds.run(rank, world, clocked -> {
            circular.measure(clocked, "");
            many.measure(clocked, ", many");
            fast.measure(clocked, "");
            fastMany.measure(clocked, ", many");
            raw.measure(clocked, elements);
        });
    }

    private static List<LongCircularQueue> open(World world, String name, int hosts, long capacity) {
        return IntStream.range(0, hosts)
                .mapToObj(host -> world.longQueue(name + host).capacity(capacity).host(host).open())
                .toList();
    }

    private static List<FastQueue<Long>> openFast(World world, String name, int hosts, long capacity) {
        return IntStream.range(0, hosts)
                .mapToObj(host -> world.fastQueue(name + host, Long.class).capacity(capacity).host(host).open())
                .toList();
    }

    /** Who pushes elements in turn to queues of all ranks pops from them in turn: each queue then has as many as are asked of it. */
    private record Circular(List<LongCircularQueue> queues, int elements) {

        void measure(Rounds.Clocked clocked, String where) throws InterruptedException {
            clocked.measure("circular push" + where, elements, () -> push(Promise.nothing()));
            clocked.measure("circular pop" + where, elements, () -> pop(Promise.nothing()));
            clocked.measure("circular push, only pushes promised" + where, elements,
                    () -> push(Promise.onlyPushes()));
            clocked.measure("circular pop, only pops promised" + where, elements, () -> pop(Promise.onlyPops()));
        }

        private long push(Promise.Pushing promise) {
            long pushed = 0;
            for (int element = 0; element < elements; element++) {
                pushed += queues.get(element % queues.size()).push(element, promise) ? 1 : 0;
            }
            return all(pushed);
        }

        private long pop(Promise.Popping promise) {
            long popped = 0;
            for (int element = 0; element < elements; element++) {
                popped += queues.get(element % queues.size()).pop(-1, promise) >= 0 ? 1 : 0;
            }
            return all(popped);
        }

        private long all(long done) {
            return required(done, elements);
        }
    }

    private record Fast(List<FastQueue<Long>> queues, int elements) {

        void measure(Rounds.Clocked clocked, String where) throws InterruptedException {
            clocked.measure("fast push" + where, elements, () -> push(1));
            clocked.measure("fast pop" + where, elements, () -> pop(1));
            clocked.measure("fast push of 1,024, each" + where, elements, () -> push(MESSAGE));
            clocked.measure("fast pop of 1,024, each" + where, elements, () -> pop(MESSAGE));
        }

        private long push(int message) {
            MemorySegment some = MemorySegment.ofArray(new long[message]);
            long pushed = 0;
            for (int turn = 0; pushed < elements; turn++) {
                long count = Math.min(message, elements - pushed);
                boolean done = queues.get(turn % queues.size()).pushEncoded(some.asSlice(0, count * Long.BYTES));
                pushed += required(done ? count : 0, count);
            }
            return pushed;
        }

        private long pop(int message) {
            MemorySegment some = MemorySegment.ofArray(new long[message]);
            long popped = 0;
            for (int turn = 0; popped < elements; turn++) {
                long count = Math.min(message, elements - popped);
                popped += required(queues.get(turn % queues.size()).popEncoded(some.asSlice(0, count * Long.BYTES)),
                        count);
            }
            return popped;
        }
    }

    private static long required(long done, long count) {
        if (done != count) {
            throw new IllegalStateException("operations failed: done=" + done + " count=" + count);
        }
        return done;
    }

    /** A ring without a protocol: the least that one push, and one pop, does to memory. */
    private record RawQueue(LocalMemory memory, long block, long capacity) {

        static RawQueue open(World world, long capacity) {
            long[] blocks = world.participant()
                    .directory()
                    .open("raw", "raw ring", rank -> rank == 0 ? 2 * SLOT_BYTES + capacity * SLOT_BYTES : 0);
            return new RawQueue(Objects.requireNonNull(world.participant().endpoint().mapped(0), "memory of one host"),
                    blocks[0], capacity);
        }

        void measure(Rounds.Clocked clocked, int elements) throws InterruptedException {
            clocked.measure("raw push", elements, () -> push(elements));
            clocked.measure("raw pop", elements, () -> pop(elements));
        }

        private long push(int elements) {
            long tail = 0;
            for (int element = 0; element < elements; element++) {
                tail = memory.getAndAdd(block, 1);
                long slot = slot(tail);
                memory.setRelease(slot + Long.BYTES, element);
                memory.setRelease(slot, tail);
            }
            return tail;
        }

        private long pop(int elements) {
            long sum = 0;
            for (int element = 0; element < elements; element++) {
                long slot = slot(memory.getAndAdd(block + SLOT_BYTES, 1));
                sum += memory.getAcquire(slot) + memory.getAcquire(slot + Long.BYTES);
            }
            return sum;
        }

        private long slot(long ticket) {
            return block + 2 * SLOT_BYTES + ticket % capacity * SLOT_BYTES;
        }
    }
}
