package io.atoll.app.bench.container;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.bench.raw.RawRing;
import io.atoll.app.job.JobRank;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The measurements of each rank. It pushes and pops longs: first in one queue at rank 0, then in turn in a queue of
 * each rank. These are the rows of figures 10 and 11 of BCL. Beside each stands the time of the verbs alone that the
 * operation needs at least, on as much memory.
 *
 * @param elements the number of elements that each rank pushes in each phase, and pops in the next
 */
record QueueBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final int MESSAGE = 1_024;
    private static final int SLOT_WORDS = 2;
    private static final int FAST_SLOT_WORDS = 1;
    private static final long SPARE_BYTES = 8 << 20;

    /**
     * Rank 0 holds two queues for the elements of all ranks. Each rank holds two for the elements that are sent to it.
     * The rings without a protocol take as much again.
     */
    private long segmentBytes(int ranks) {
        long bytes = 2 * (SLOT_WORDS + FAST_SLOT_WORDS) * Long.BYTES * (capacity(ranks) + shareCapacity(ranks));
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
        RawRing raw = RawRing.open(world, "raw", capacity(rank.size()), SLOT_WORDS);
        RawRing fastRaw = RawRing.open(world, "raw-fast", capacity(rank.size()), FAST_SLOT_WORDS);
        rounds.run(rank, world, clocked -> {
            circular.measure(clocked, "", new Raw(raw, 1, elements));
            many.measure(clocked, ", many", new Raw(raw, rank.size(), elements));
            fast.measure(clocked, "", new Raw(fastRaw, 1, elements));
            fastMany.measure(clocked, ", many", new Raw(fastRaw, rank.size(), elements));
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

    /**
     * A rank that pushes elements in turn to the queues of all ranks also pops from them in turn. So each queue holds
     * as many elements as are popped from it.
     */
    private record Circular(List<LongCircularQueue> queues, int elements) {

        void measure(Rounds.Clocked clocked, String where, Raw raw) throws InterruptedException {
            clocked.measure("circular push" + where, elements, () -> push(Promise.nothing()), raw::push);
            clocked.measure("circular pop" + where, elements, () -> pop(Promise.nothing()), raw::pop);
            clocked.measure("circular push, only pushes promised" + where, elements,
                    () -> push(Promise.onlyPushes()), raw::push);
            clocked.measure("circular pop, only pops promised" + where, elements, () -> pop(Promise.onlyPops()),
                    raw::pop);
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
            return Rounds.required(done, elements);
        }
    }

    private record Fast(List<FastQueue<Long>> queues, int elements) {

        void measure(Rounds.Clocked clocked, String where, Raw raw) throws InterruptedException {
            clocked.measure("fast push" + where, elements, () -> push(1), raw::push);
            clocked.measure("fast pop" + where, elements, () -> pop(1), raw::pop);
            clocked.measure("fast push of 1,024, each" + where, elements, () -> push(MESSAGE), raw::pushMessages);
            clocked.measure("fast pop of 1,024, each" + where, elements, () -> pop(MESSAGE), raw::popMessages);
        }

        private long push(int message) {
            MemorySegment some = MemorySegment.ofArray(new long[message]);
            long pushed = 0;
            for (int turn = 0; pushed < elements; turn++) {
                long count = Math.min(message, elements - pushed);
                boolean done = queues.get(turn % queues.size()).pushEncoded(some.asSlice(0, count * Long.BYTES));
                pushed += Rounds.required(done ? count : 0, count);
            }
            return pushed;
        }

        private long pop(int message) {
            MemorySegment some = MemorySegment.ofArray(new long[message]);
            long popped = 0;
            for (int turn = 0; popped < elements; turn++) {
                long count = Math.min(message, elements - popped);
                popped += Rounds.required(
                        queues.get(turn % queues.size()).popEncoded(some.asSlice(0, count * Long.BYTES)),
                        count);
            }
            return popped;
        }
    }

    /** The verbs alone, in the rings of the given number of hosts. */
    private record Raw(RawRing ring, int hosts, int elements) {

        private long push() {
            long sum = 0;
            for (int element = 0; element < elements; element++) {
                sum += ring.push(element % hosts, element);
            }
            return sum;
        }

        private long pop() {
            long sum = 0;
            for (int element = 0; element < elements; element++) {
                sum += ring.pop(element % hosts);
            }
            return sum;
        }

        private long pushMessages() {
            MemorySegment some = MemorySegment.ofArray(new long[MESSAGE]);
            long sum = 0;
            for (int done = 0; done < elements; done += MESSAGE) {
                sum += ring.push(done / MESSAGE % hosts, some.asSlice(0, bytes(done)));
            }
            return sum;
        }

        private long popMessages() {
            MemorySegment some = MemorySegment.ofArray(new long[MESSAGE]);
            long sum = 0;
            for (int done = 0; done < elements; done += MESSAGE) {
                sum += ring.pop(done / MESSAGE % hosts, some.asSlice(0, bytes(done)));
            }
            return sum;
        }

        private long bytes(int done) {
            return (long) Math.min(MESSAGE, elements - done) * Long.BYTES;
        }
    }
}
