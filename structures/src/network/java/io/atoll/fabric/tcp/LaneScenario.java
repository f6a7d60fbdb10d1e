package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Clock;
import io.atoll.fabric.interleaving.Interleaving;
import io.atoll.fabric.link.Alarm;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Threads of both kinds use one lane or two, which wait by a selector or by their wires. In some orders of steps a lane
 * breaks or is closed, or a thread meets an error while it waits. Each thread adds to words of its own, so it knows
 * what each answer must be.
 */
final class LaneScenario implements Interleaving.Scenario {

    private static final long SEGMENT_BYTES = 4 << 10;
    private static final long LANE_BYTES = 1 << 10; // bytes of words that one lane uses
    private static final long NOT_A_RESULT = -77;

    private static final Clock CLOCK = new Clock() {
        @Override
        public long nanoTime() {
            return Interleaving.nanoTime();
        }

        @Override
        public void pause(int attempt) {
            Interleaving.yield();
        }
    };

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SEGMENT_BYTES, Layouts.CACHE_LINE));
    private final LaneMonitor laneMonitor = new LaneMonitor("monitor", Duration.ofSeconds(5), new Alarm());
    private final List<TcpLane> lanes = new ArrayList<>();
    private final List<User> users = new ArrayList<>();
    private boolean mayFail;
    private boolean mayErr;

    @Override
    public Runnable begin(Interleaving threads, Random random) {
        mayFail = random.nextBoolean();
        mayErr = mayFail && random.nextInt(3) == 0;
        try {
            LaneReader reader = new LaneReader("reader", new Spin(random.nextInt(3)));
            int count = 1 + random.nextInt(2);
            for (int index = 0; index < count; index++) {
                FakeConnection connection = new FakeConnection(segment, random);
                connection.channel().configureBlocking(false);
                Wire wire = random.nextBoolean() ? connection.waitingWire() : new PlainWire(connection.channel());
                Spin spin = new Spin(random.nextInt(3));
                TcpLane lane = new TcpLane(1, SEGMENT_BYTES, wire, reader, laneMonitor, CLOCK, spin);
                lanes.add(lane);
                threads.server("owner " + index, connection::serve);
                if (mayFail && !mayErr) {
                    threads.user("breaker " + index, false, () -> end(lane, connection, random));
                }
            }
            threads.server("reader", () -> read(reader));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        int count = 2 + random.nextInt(3);
        for (int number = 0; number < count; number++) {
            User user = new User(number, random);
            users.add(user);
            threads.user("user " + number, random.nextInt(3) == 0, user);
            if (mayErr && random.nextBoolean()) {
                threads.failAt(1 + random.nextInt(3));
            }
        }
        return this::check;
    }

    private static void read(LaneReader reader) {
        try {
            Method step = LaneReader.class.getDeclaredMethod("read");
            step.setAccessible(true);
            while (true) {
                if ((long) step.invoke(reader) == BackgroundThread.UNTIL_WOKEN) {
                    Interleaving.rest();
                }
            }
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Error error) {
                throw error;
            }
            throw new AssertionError(thrown.getCause());
        } catch (ReflectiveOperationException other) {
            throw new AssertionError(other);
        }
    }

    private static void end(TcpLane lane, FakeConnection connection, Random random) {
        for (int left = random.nextInt(200); left > 0; left--) {
            Interleaving.step();
        }
        try {
            switch (random.nextInt(4)) {
                case 0 -> connection.reset();
                case 1 -> lane.close("fenced");
                case 2 -> {
                    connection.fallSilent();
                    lane.breakDown("silent");
                }
                default -> lane.breakDown("silent");
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void check() {
        long unknown = laneMonitor.unknownOutcomes();
        for (User user : users) {
            unknown -= user.check();
        }
        if (unknown < 0 && !mayErr) {
            throw new AssertionError("more has happened than was acknowledged or is unknown: " + unknown);
        }
    }

    /** A thread that uses the lanes. */
    private final class User implements Runnable {

        private final int number;
        private final Random random;
        private final VerbList list = new VerbList(2);
        private final VerbList outgoing = new VerbList(0);
        private final MemorySegment memory = MemorySegment.ofArray(new long[2]);
        private final long[] added = new long[2]; // acknowledged additions, by lane
        private final long[] tried = new long[2];
        private boolean usesSeveral;
        private boolean hasFailed;

        private User(int number, Random random) {
            this.number = number;
            this.random = random;
            list.use(memory);
        }

        private TcpLane lane(int index) {
            return lanes.get(index);
        }

        private long counter(int lane) {
            return lane * LANE_BYTES + 8L * number;
        }

        private long register(int lane) {
            return counter(lane) + LANE_BYTES / 2;
        }

        @Override
        public void run() {
            int own = random.nextInt(lanes.size());
            try {
                for (int left = 1 + random.nextInt(3); left > 0; left--) {
                    useOnce(own);
                    forget();
                }
            } catch (RankUnreachableException told) {
                hasFailed = true;
                if (!mayFail) {
                    throw told;
                }
            } catch (Interleaving.Interruption error) {
                hasFailed = true;
            }
            forget();
        }

        /** Marks this memory: from now on no thread may place anything here. */
        private void forget() {
            list.setResult(0, NOT_A_RESULT);
            list.setResult(1, NOT_A_RESULT);
            memory.set(JAVA_LONG, 0, NOT_A_RESULT);
        }

        private void useOnce(int own) {
            list.emptied();
            switch (random.nextInt(5)) {
                case 0 -> {
                    add(own);
                    list.complete();
                    hasAdded(own);
                }
                case 1 -> {
                    for (int lane = 0; lane < lanes.size(); lane++) {
                        add(lane);
                    }
                    usesSeveral = lanes.size() > 1;
                    list.complete();
                    usesSeveral = false;
                    for (int lane = 0; lane < lanes.size(); lane++) {
                        hasAdded(lane);
                    }
                }
                case 2 -> {
                    add(own);
                    list.post();
                    while (!list.isDone()) {
                        Interleaving.yield();
                    }
                    hasAdded(own);
                }
                case 3 -> {
                    long value = 1 + random.nextInt(1_000);
                    outgoing.emptied().writeWord(lane(own), register(own), value);
                    outgoing.send();
                    list.move(lane(own), Frame.READ, "read", register(own), 0, Long.BYTES);
                    list.complete();
                    expect(value, memory.get(JAVA_LONG, 0));
                }
                default -> lane(own).flush();
            }
        }

        private void add(int lane) {
            tried[lane]++;
            list.update(lane(lane), Frame.GET_AND_ADD, "add", counter(lane), lane, 1, 0);
        }

        private void hasAdded(int lane) {
            expect(added[lane], list.result(lane));
            added[lane]++;
        }

        private void expect(long expected, long found) {
            if (expected != found) {
                throw new AssertionError(
                        "another answer: user=" + number + " expected=" + expected + " found=" + found);
            }
        }

        /**
         * Returns how many additions happened without an acknowledgement. Does not count a batch for several lanes,
         * since one of them may have answered.
         */
        private long check() {
            expect(NOT_A_RESULT, list.result(0));
            expect(NOT_A_RESULT, list.result(1));
            expect(NOT_A_RESULT, memory.get(JAVA_LONG, 0));
            long unacknowledged = 0;
            for (int lane = 0; lane < lanes.size(); lane++) {
                long happened = segment.getVolatile(counter(lane));
                if (happened < added[lane] || happened > (hasFailed ? tried[lane] : added[lane])) {
                    throw new AssertionError("user=" + number + " acknowledged=" + added[lane] + " tried=" + tried[lane]
                            + " happened=" + happened);
                }
                unacknowledged += usesSeveral ? 0 : happened - added[lane];
            }
            return unacknowledged;
        }
    }
}
