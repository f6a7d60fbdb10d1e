package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Ranks of a simulated world that all broadcast at once, through one window or two, each to a place of its own. At the
 * same time each passes on what the others send. The last rank may die and come back. Whenever a root knows that its
 * broadcast is complete, all members must have what it sent, and nothing else. A member that is told of an arrival must
 * find there what arrived, or what the root has sent after it.
 */
final class BroadcastTrial {

    private static final int WORDS = 5; // the words of a broadcast
    private static final int SLOTS = 2; // a broadcast has three pieces
    private static final long PIECE_BYTES = 2 * Layouts.WORD;
    private static final long PLACE_BYTES = WORDS * Layouts.WORD;
    private static final long SEGMENT_BYTES = 192 << 10;
    // nothing lies there as long as nothing is opened by name
    private static final long BLOCKS = SEGMENT_BYTES - (16 << 10);
    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);
    private static final int FIRST_PAUSE = 3;

    /** Makes the window of a process, right or wrong. */
    interface Maker {
        Window make(Participant self, Team team, BroadcastBlock block, long[] blocks, long pieceBytes);
    }

    /** The other ranks' incarnations as a process knows them: it learns of each change some time after it. */
    private final class View implements Supplier<int[]> {

        private final SimRank own;
        private final int[] incarnations;
        private boolean hasLearnt; // true if it knows that a rank has another segment

        View(SimRank own) {
            this.own = own;
            this.incarnations = IntStream.range(0, simulation.size()).map(this::truth).toArray();
        }

        private int truth(int rank) {
            int incarnation = simulation.incarnation(rank);
            // A rank counts as absent as long as this process does not reach its other segment.
            return simulation.isDead(rank, incarnation) || rank == mortal && unaware.contains(own) ? 0 : incarnation;
        }

        @Override
        public int[] get() {
            for (int rank = 0; rank < incarnations.length; rank++) {
                if (truth(rank) != incarnations[rank] && (hasLearnt || own.random().nextInt(3) == 0)) {
                    incarnations[rank] = truth(rank);
                }
            }
            return incarnations.clone();
        }
    }

    private record Process(Participant self, View view) {}

    private final Simulation simulation;
    private final Team team;
    private final int windows;
    private final int rounds;
    private final Optional<Algorithm> algorithm;
    private final Maker maker;
    private final BroadcastBlock block;
    private final int mortal;
    private final long[] values; // the last value that a root has sent, through any window
    private final int[] remaining; // the number of windows through which a rank still sends
    private final boolean[] ended;
    private final Map<SimRank, Process> processes = new IdentityHashMap<>();
    // the ranks that do not know of the last loss
    private final Set<SimRank> unaware = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean breaking;
    int failures;

    /** @param rounds the number of broadcasts that each member must complete through each window */
    BroadcastTrial(long seed, SimOptions options, int ranks, Team team, int windows, int rounds,
            Optional<Algorithm> algorithm, Maker maker) {
        this.simulation = new Simulation(seed, options.segmentBytes(SEGMENT_BYTES));
        this.team = team;
        this.windows = windows;
        this.rounds = rounds;
        this.algorithm = algorithm;
        this.maker = maker;
        this.block = new BroadcastBlock(team.size(), team.size() * PLACE_BYTES, SLOTS);
        this.mortal = team.rank(team.size() - 1);
        this.values = new long[team.size()];
        this.remaining = new int[ranks];
        this.ended = new boolean[ranks];
    }

    /** Connections may break, and no rank dies. Then this class reads again where its own read failed. */
    BroadcastTrial breaking() {
        breaking = true;
        return this;
    }

    BroadcastTrial run() {
        simulation.onDeath(this::live).onLoss(this::lose, this::learn).run(this::live);
        return this;
    }

    private void lose(int lost) {
        IntStream.range(0, simulation.size())
                .filter(rank -> rank != lost)
                .mapToObj(simulation::rank)
                .forEach(unaware::add);
    }

    /** The rank learns that the other one was away before it reaches the other segment. */
    private void learn(SimRank rank, int lost) {
        unaware.remove(rank);
        Process process = processes.get(rank);
        if (process != null) {
            process.view.hasLearnt = true;
            process.self.renew(rank.endpoint(), lost);
        }
    }

    int losses() {
        return simulation.losses();
    }

    private boolean haveAllEnded() {
        return IntStream.range(0, team.size()).allMatch(position -> ended[team.rank(position)]);
    }

    private void live(SimRank rank) {
        if (!team.contains(rank.rank())) {
            return;
        }
        if (haveAllEnded()) {
            return;
        }
        ended[rank.rank()] = false;
        remaining[rank.rank()] = windows;
        View view = new View(rank);
        Participant self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced, OPERATION_TIMEOUT,
                view);
        processes.put(rank, new Process(self, view));
        Window[] opened = IntStream.range(0, windows)
                .mapToObj(number -> maker.make(self, team, block, blocks(number),
                        PIECE_BYTES))
                .toArray(Window[]::new);
        rank.inParallel(2 + windows, thread -> {
            if (thread == 0) {
                passOn(rank, opened);
            } else if (thread == 1) {
                receive(rank, broadcast(self, opened[0]));
            } else {
                send(rank, broadcast(self, opened[thread - 2]), blocks(thread - 2));
                ended[rank.rank()] |= --remaining[rank.rank()] == 0;
            }
        });
    }

    private long[] blocks(int number) {
        long[] blocks = new long[team.size()];
        Arrays.fill(blocks, BLOCKS + number * Layouts.roundUp(block.bytes(), Layouts.CACHE_LINE));
        return blocks;
    }

    private Broadcast broadcast(Participant self, Window window) {
        return new Broadcast("trial", team.size() * PLACE_BYTES, algorithm, () -> new LogGP(1, 1, 1, 1, 1),
                Duration.ofMillis(1), new CollectiveLog(),
                new Handle<>(() -> new Broadcast.Part(self, window)));
    }

    private void passOn(SimRank rank, Window[] opened) {
        int idle = 0;
        while (!haveAllEnded()) {
            boolean worked = false;
            for (Window window : opened) {
                worked |= window.passOn();
            }
            idle = worked ? 0 : idle + 1;
            rank.fabric().clock().pause(Math.min(idle, FIRST_PAUSE));
        }
    }

    private void send(SimRank rank, Broadcast broadcast, long[] blocks) {
        int own = team.position(rank.rank());
        for (int done = 0; done < rounds;) {
            long[] words = new long[WORDS];
            Arrays.fill(words, ++values[own]);
            long value = values[own];
            int losses = simulation.losses();
            try {
                broadcast.write(own * PLACE_BYTES, MemorySegment.ofArray(words));
                broadcast.send(own * PLACE_BYTES, PLACE_BYTES);
                broadcast.flush();
                // The last rank may have lost since what it has received.
                int whole = simulation.losses() == losses ? team.size() : team.size() - 1;
                for (int position = 0; position < whole; position++) {
                    assertThat(read(rank, position, blocks, own)).as("what member %s has", position)
                            .containsOnly(value);
                }
                done++;
            } catch (RankUnreachableException lost) {
                if (simulation.isDead(rank.rank(), rank.incarnation())) {
                    throw lost;
                }
                assertThat(lost.rank()).isEqualTo(mortal);
                failures++;
                rank.fabric().clock().pause(FIRST_PAUSE);
            }
        }
    }

    private long[] read(SimRank rank, int position, long[] blocks, int root) {
        long[] words = new long[WORDS];
        while (true) {
            try {
                rank.endpoint()
                        .read(team.rank(position), blocks[position] + block.data(root * PLACE_BYTES),
                                MemorySegment.ofArray(words), 0, PLACE_BYTES);
                return words;
            } catch (RankUnreachableException broken) {
                if (!breaking) {
                    throw broken;
                }
            }
        }
    }

    private void receive(SimRank rank, Broadcast broadcast) throws InterruptedException {
        int root = rank.random().nextInt(team.size());
        while (!haveAllEnded()) {
            try {
                long number = broadcast.awaitNext(team.rank(root), Duration.ofNanos(100_000)).orElse(0);
                long[] words = new long[WORDS];
                broadcast.read(root * PLACE_BYTES, MemorySegment.ofArray(words));
                assertThat(number).isLessThanOrEqualTo(values[root]);
                if (number > 0) {
                    assertThat(Arrays.stream(words)).allMatch(word -> number <= word && word <= values[root]);
                }
            } catch (RankUnreachableException lost) {
                if (simulation.isDead(rank.rank(), rank.incarnation())) {
                    throw lost;
                }
                assertThat(breaking || lost.rank() == mortal).isTrue();
                rank.fabric().clock().pause(FIRST_PAUSE);
            }
        }
    }
}
