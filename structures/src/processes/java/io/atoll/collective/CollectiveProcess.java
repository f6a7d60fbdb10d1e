package io.atoll.collective;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import io.atoll.process.Program;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A rank that takes part in exchanges and broadcasts. It stops when it has done so often enough, or is told that
 * another rank was lost.
 */
final class CollectiveProcess implements Program {

    /** Printed after its first round. */
    static final String BEGUN = "begun";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WORDS = 25_000; // several pieces of a broadcast

    private @Nullable World world;

    /**
     * Obeys {@code join FOLDER SIZE RANK}; {@code meet RANK INCARNATION}; {@code exchange ROUNDS}; {@code send ROUNDS};
     * {@code receive ROOT}, until a rank is lost; {@code await ROOT NUMBER}.
     */
    @Override
    public String obey(String command, List<String> arguments) throws InterruptedException {
        return switch (command) {
            case "join" -> join(Path.of(arguments.get(0)), number(arguments, 1), number(arguments, 2));
            case "meet" -> meet(number(arguments, 0), number(arguments, 1));
            case "exchange" -> exchange(number(arguments, 0));
            case "send" -> send(number(arguments, 0));
            case "receive" -> receive(number(arguments, 0));
            default -> await(number(arguments, 0), number(arguments, 1));
        };
    }

    private static int number(List<String> arguments, int index) {
        return Integer.parseInt(arguments.get(index));
    }

    private String join(Path folder, int size, int rank) {
        World joined = World.named("together")
                .fabric(Fabrics.sharedMemory(folder, false))
                .size(size)
                .rank(rank)
                .segment(4 << 20)
                .open();
        world = joined;
        return "" + joined.incarnation();
    }

    private String meet(int rank, int incarnation) {
        Awaitility.await().atMost(PATIENCE).until(() -> joined().peers().incarnations()[rank] == incarnation);
        return "met";
    }

    private World joined() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    private Broadcast window() {
        return joined().collectives().broadcast("window").bytes((long) WORDS * Long.BYTES).open();
    }

    private interface Round {
        void number(int number) throws InterruptedException;
    }

    private static String repeat(int rounds, Round round) throws InterruptedException {
        for (int done = 0; done < rounds; done++) {
            try {
                round.number(done);
            } catch (RankUnreachableException lost) {
                return "lost=" + lost.rank();
            }
            if (done == 0) {
                IO.println(BEGUN);
            }
        }
        return "rounds=" + rounds;
    }

    private String exchange(int rounds) throws InterruptedException {
        Exchange exchange = joined().collectives().exchange("exchange").open();
        int size = joined().size();
        return repeat(rounds, round -> {
            long[] sums = {1, round, joined().rank()};
            exchange.allReduce(sums, Long::sum);
            require(sums[0] == size && sums[1] == (long) size * round && sums[2] == size * (size - 1L) / 2,
                    "wrong sums: " + Arrays.toString(sums));
        });
    }

    private String send(int rounds) throws InterruptedException {
        Broadcast window = window();
        long[] words = new long[WORDS];
        return repeat(rounds, round -> {
            Arrays.fill(words, round + 1);
            window.write(0, MemorySegment.ofArray(words));
            window.send(0, window.bytes());
            window.flush();
        });
    }

    private String receive(int root) throws InterruptedException {
        Broadcast window = window();
        return repeat(Integer.MAX_VALUE, _ -> window.awaitNext(root));
    }

    /** Waits for the last broadcast of a root, which sends its number. */
    private String await(int root, int number) throws InterruptedException {
        Broadcast window = window();
        while (window.received(root) < number) {
            try {
                window.awaitNext(root);
            } catch (RankUnreachableException cameBack) {
                Thread.onSpinWait(); // thrown once
            }
        }
        for (int index = 0; index < WORDS; index++) {
            long word = window.view().getAtIndex(JAVA_LONG, index);
            require(word == number, "not what was sent: index=" + index + " word=" + word);
        }
        return "received=" + number;
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
