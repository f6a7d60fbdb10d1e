package io.atoll;

import static org.awaitility.Awaitility.await;

import io.atoll.collective.Broadcast;
import io.atoll.collective.Exchange;
import io.atoll.fabric.FabricType;
import io.atoll.failure.RankUnreachableException;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.process.Program;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.OnLoss;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A rank that uses a structure of every kind. Rank 2 hosts some structures that begin empty after a loss, and rank 1
 * hosts others that do not.
 */
final class LostKindsProgram implements Program {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int KEYS = 100;
    private static final long NONE = -1;

    private @Nullable World world;
    private @Nullable Kinds kinds;

    private record Kinds(LongCircularQueue tasks, CircularQueue<Long> checked, LongCircularQueue circular,
            FastQueue<Long> fast, LinkedQueue<Long> linked, LinkedStack<Long> stack, DistributedMap<Long, Long> map,
            Broadcast window, Exchange exchange) {

        static Kinds open(World world) {
            return new Kinds(world.longQueue("tasks").host(1).capacity(16).open(),
                    world.queue("checked", Long.class).host(1).capacity(16).checkedPromises().open(),
                    world.longQueue("circular").host(2).capacity(16).onLoss(OnLoss.EMPTY).open(),
                    world.fastQueue("fast", Long.class).host(2).capacity(16).onLoss(OnLoss.EMPTY).open(),
                    world.linkedQueue("linked", Long.class).host(2).onLoss(OnLoss.EMPTY).open(),
                    world.stack("stack", Long.class).host(2).onLoss(OnLoss.EMPTY).open(),
                    world.map("map", Long.class, Long.class).onLoss(OnLoss.EMPTY).open(),
                    world.collectives().broadcast("window").bytes(Long.BYTES).open(),
                    world.collectives().exchange("exchange").open());
        }
    }

    /**
     * Commands: {@code join FOLDER SIZE RANK [ADDRESSES]}, by shared memory without addresses; {@code open};
     * {@code push VALUE} pushes to every queue and stack; {@code pop} returns what each of them had;
     * {@code send VALUE}; {@code received}; {@code together TURN} is sent to all ranks, and returns their sum and the
     * keys of this turn in the map.
     */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "join" -> join(LostSegmentProgram.fabric(Path.of(arguments.get(0)),
                    arguments.subList(3, arguments.size())), arguments.get(1), arguments.get(2));
            case "open" -> open();
            case "push" -> push(Long.parseLong(arguments.getFirst()));
            case "pop" -> pop();
            case "send" -> send(Long.parseLong(arguments.getFirst()));
            case "received" -> String.valueOf(received());
            default -> together(Long.parseLong(arguments.getFirst()));
        };
    }

    private String join(FabricType fabric, String size, String rank) {
        world = LostSegmentProgram.joined(fabric, size, rank);
        return String.valueOf(world.incarnation());
    }

    private String open() {
        kinds = soon(() -> Kinds.open(world));
        return "";
    }

    private Kinds kinds() {
        return Objects.requireNonNull(kinds);
    }

    private String push(long value) {
        List<Callable<Boolean>> pushes = List.of(() -> kinds().tasks.push(value), () -> kinds().checked.push(value),
                () -> kinds().circular.push(value), () -> kinds().fast.push(value), () -> {
                    kinds().linked.push(value);
                    return true;
                }, () -> {
                    kinds().stack.push(value);
                    return true;
                });
        String pushed = pushes.stream()
                .map(LostKindsProgram::soon)
                .distinct()
                .map(String::valueOf)
                .collect(
                        Collectors.joining());
        world.participant().endpoint().flush();
        return pushed;
    }

    private String pop() {
        List<Callable<Long>> pops = List.of(() -> kinds().tasks.pop(NONE), () -> orNone(kinds().checked::pop),
                () -> kinds().circular.pop(NONE), () -> orNone(kinds().fast::pop), () -> orNone(kinds().linked::pop),
                () -> orNone(kinds().stack::pop));
        return pops.stream().map(LostKindsProgram::soon).map(String::valueOf).collect(Collectors.joining(" "));
    }

    private static long orNone(Supplier<@Nullable Long> pop) {
        Long popped = pop.get();
        return popped == null ? NONE : popped;
    }

    private String send(long value) {
        return soon(() -> {
            kinds().window.write(0, MemorySegment.ofArray(new long[]{value}));
            kinds().window.send(0, Long.BYTES);
            kinds().window.flush();
            return "";
        });
    }

    private long received() {
        long[] value = new long[1];
        kinds().window.read(0, MemorySegment.ofArray(value));
        return value[0];
    }

    private String together(long turn) throws Exception {
        long[] sum = {world.rank() + turn};
        kinds().exchange.allReduce(sum, Long::sum);
        long first = turn * 1_000;
        HashMapBuffer<Long, Long> buffer = kinds().map.buffer(100, 10);
        LongStream.range(0, KEYS).forEach(key -> buffer.putIfAbsent(first + key * world.size() + world.rank(), key));
        buffer.flush();
        long found = LongStream.range(first, first + (long) KEYS * world.size())
                .filter(key -> kinds().map.get(key) != null)
                .count();
        return sum[0] + " " + found;
    }

    /** Retries the operation until all ranks that it needs are there again. */
    private static <T> T soon(Callable<T> operation) {
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(RankUnreachableException.class)
                .until(operation, _ -> true);
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
