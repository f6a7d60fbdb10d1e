package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.array.LongArray;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * One of three ranks loses its memory, over and over. This may happen at any step, while all ranks use structures of
 * every kind but locks. The data at the other two ranks is as if nothing had been lost: each effect is there once, and
 * there is no other.
 */
@Tag("simulation")
class LossSimulationTest {

    private static final int RANKS = 3;
    private static final int LOSER = 2;
    private static final int SEEDS = 100;
    private static final int OPERATIONS = 40;
    private static final int KEYS = 6;
    // The first queue that is popped from and may be lost.
    private static final int LOST_CIRCULAR = 3;
    private static final int POPPED = 6;
    private static final long SEGMENT_BYTES = 1 << 20;

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS)
                .segmentBytes(SEGMENT_BYTES)
                .guarantees(guarantees)
                .pauses(0.002)
                .kills(0.004, LOSER)
                .losesMemory()
                .maximumSteps(2_000_000);
    }

    /** The kinds of operations of the ranks. Each number is as likely as the others; a repeated kind is more likely. */
    private static final int[] ANYTHING = {0, 1, 2, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10};
    private static final int[] CIRCULAR_QUEUES = {4, 7, 11};

    @ParameterizedTest
    @FieldSource("io.atoll.fabric.sim.SimOptions#EVERY_FABRIC")
    void whatLiesAtOtherRanksIsAsIfNothingWereLost(Guarantees guarantees) {
        requireThatNothingElseIsLost(guarantees, SEEDS, ANYTHING);
    }

    /** Pushers die halfway, over and over. So a popper meets the places that they have left. */
    @ParameterizedTest
    @FieldSource("io.atoll.fabric.sim.SimOptions#EVERY_FABRIC")
    void noElementOfACircularQueueIsSkippedAndNobodyWaitsForWhatIsLost(Guarantees guarantees) {
        requireThatNothingElseIsLost(guarantees, 2 * SEEDS, CIRCULAR_QUEUES);
    }

    private static void requireThatNothingElseIsLost(Guarantees guarantees, int seeds, int[] kinds) {
        int[] losses = {0};
        int[] refusals = {0};
        Seeds.each(seeds, seed -> {
            var trial = new Trial(seed, guarantees, kinds);
            trial.run();
            losses[0] += trial.simulation.losses();
            refusals[0] += trial.refusals;
        });
        Seeds.together(() -> assertThat(losses[0]).as("segments that were lost").isPositive());
        Seeds.together(() -> assertThat(refusals[0]).as("operations that were told of it").isPositive());
    }

    /** How often one place was changed for certain, and how often perhaps. */
    private static final class Effects {

        private long certain;
        private long possible;
    }

    private static final class Trial {

        private final Simulation simulation;
        private final int[] kinds;
        private final Map<SimRank, Client> clients = new IdentityHashMap<>();
        // The effects by structure and key.
        private final Map<String, Effects> added = new HashMap<>();
        // Elements that were pushed for certain.
        private final Set<Long> pushed = new HashSet<>();
        private final List<Long> popped = new ArrayList<>();
        // Elements that were pushed perhaps.
        private final Set<Long> doubted = new HashSet<>();
        private int popsInDoubt;
        private int refusals;
        private long nextElement = 1;

        Trial(long seed, Guarantees guarantees, int[] kinds) {
            this.kinds = kinds;
            this.simulation = new Simulation(seed, options(guarantees));
        }

        void run() {
            simulation.onDeath(this::work).onLoss(_ -> {}, (rank, lost) -> {
                Client client = clients.get(rank);
                if (client != null) {
                    client.self.renew(rank.endpoint(), lost);
                }
            }).run(this::work);
            check();
        }

        private void work(SimRank rank) {
            Client client = new Client(rank);
            clients.put(rank, client);
            client.work();
        }

        private int[] incarnations() {
            int[] present = new int[RANKS];
            Arrays.setAll(present,
                    rank -> simulation.isDead(rank, simulation.incarnation(rank)) ? 0 : simulation.incarnation(rank));
            return present;
        }

        private Effects effects(String structure, long key) {
            return added.computeIfAbsent(structure + " " + key, _ -> new Effects());
        }

        /** Checks by the objects that a rank has used all the time. */
        private void check() {
            Client survivor = clients.get(simulation.rank(0));
            for (long key = 0; key < KEYS; key++) {
                long each = key;
                check("longs", key, survivor.longs.owner(key),
                        survivor.attempt(() -> survivor.longs.getOrDefault(each, 0)));
                Integer owner = survivor.attempt(() -> survivor.plain.owner(each));
                // If null, the map was not opened before the loss.
                if (owner != null) {
                    check("plain", key, owner, survivor.attempt(() -> survivor.plain.getOrDefault(each, 0)));
                }
                check("cells", key, survivor.cells.owner(key), survivor.attempt(() -> survivor.cells.get(each)));
                check("texts", key, survivor.texts.owner(key),
                        survivor.attempt(() -> number(each, survivor.texts.get(each))));
            }
            survivor.drain();
            assertThat(popped).doesNotHaveDuplicates();
            Set<Long> missing = new HashSet<>(pushed);
            popped.forEach(missing::remove);
            assertThat(missing.size()).as("elements that are gone: %s", missing).isLessThanOrEqualTo(popsInDoubt);
            Set<Long> strange = new HashSet<>(popped);
            strange.removeAll(pushed);
            strange.removeAll(doubted);
            assertThat(strange).as("elements that nobody has pushed").isEmpty();
        }

        /** A lost part begins with nothing again. No value contains an effect without an operation. */
        private void check(String structure, long key, int owner, @Nullable Long found) {
            Effects effects = effects(structure, key);
            if (owner != LOSER || found != null) {
                assertThat(found).as("%s %d at rank %d", structure, key, owner)
                        .isBetween(owner == LOSER ? 0 : effects.certain, effects.certain + effects.possible);
            }
        }

        /** Each text names its key and number, so a mixture of two texts is noticed. */
        private static String text(long key, long number) {
            return "the number of key " + key + " is " + number;
        }

        private static long number(long key, @Nullable String text) {
            String before = text(key, 0).replaceFirst("0$", "");
            assertThat(text == null ? before : text).startsWith(before);
            return text == null ? 0 : Long.parseLong(text.substring(before.length()));
        }

        /** A process with its structures. */
        private final class Client {

            private final SimRank rank;
            private final Participant self;
            private final EpochManager epochs;
            private final LongLongMap longs;
            private final LongLongMap plain;
            private final DistributedMap<Long, String> texts;
            private final LongArray cells;
            private final LongCircularQueue circular;
            private final LinkedQueue<Long> linked;
            private final LinkedStack<Long> stack;
            // This queue and those below begin empty over and over.
            private final LongCircularQueue lostCircular;
            private final LinkedQueue<Long> lostLinked;
            private final LinkedStack<Long> lostStack;
            private int buried;

            Client(SimRank rank) {
                this.rank = rank;
                this.self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced,
                        Duration.ofSeconds(10), Trial.this::incarnations);
                this.epochs = new EpochManager(self::latest, EpochSettings.DEFAULT.tokens(8));
                this.longs = LongLongMap.builder("longs", self::latest, epochs)
                        .fixedCapacity(64)
                        .onLoss(OnLoss.EMPTY)
                        .openLazily();
                this.plain = LongLongMap.builder("plain", self::latest, epochs).fixedCapacity(64).openLazily();
                this.texts = DistributedMap.builder("texts", Long.class, String.class, self::latest, epochs)
                        .fixedCapacity(64)
                        .onLoss(OnLoss.EMPTY)
                        .openLazily();
                this.cells = LongArray.builder("cells", self::latest).length(KEYS).onLoss(OnLoss.EMPTY).openLazily();
                this.circular = LongCircularQueue.builder("circular", self::latest).host(1).capacity(4).openLazily();
                this.linked = LinkedQueue.builder("linked", Long.class, self::latest, epochs).host(0).openLazily();
                this.stack = LinkedStack.builder("stack", Long.class, self::latest, epochs).host(1).openLazily();
                this.lostCircular = LongCircularQueue.builder("lost circular", self::latest)
                        .host(LOSER)
                        .capacity(4)
                        .onLoss(OnLoss.EMPTY)
                        .openLazily();
                this.lostLinked = LinkedQueue.builder("lost linked", Long.class, self::latest, epochs)
                        .host(LOSER)
                        .onLoss(OnLoss.EMPTY)
                        .openLazily();
                this.lostStack = LinkedStack.builder("lost stack", Long.class, self::latest, epochs)
                        .host(LOSER)
                        .onLoss(OnLoss.EMPTY)
                        .openLazily();
            }

            void work() {
                for (int segment = 0; segment < RANKS; segment++) {
                    int recovered = segment;
                    attempt(() -> {
                        self.recover(recovered);
                        return true;
                    });
                }
                RandomGenerator random = rank.random();
                for (int count = 0; count < OPERATIONS; count++) {
                    bury();
                    // A process does this from time to time.
                    self.latest().reservations().retryAll();
                    operate(kinds[random.nextInt(kinds.length)], random.nextInt(KEYS));
                }
            }

            private void bury() {
                int ended = simulation.incarnation(LOSER)
                        - (simulation.isDead(LOSER, simulation.incarnation(LOSER)) ? 0 : 1);
                if (rank.rank() != LOSER && ended > buried && simulation.isFenced(LOSER, ended, rank.rank())) {
                    self.latest().reclaimDead(LOSER, ended);
                    buried = ended;
                }
            }

            private void operate(int kind, long key) {
                switch (kind) {
                    case 0 -> add("longs", key, () -> longs.addAndGet(key, 1));
                    case 1 -> add("plain", key, () -> plain.addAndGet(key, 1));
                    case 2 -> add("cells", key, () -> cells.getAndAdd(key, 1));
                    case 3 ->
                        add("texts", key,
                                () -> texts.merge(key, text(key, 1), (text, _) -> text(key, number(key, text) + 1))
                                        .length());
                    case 4 -> push(element -> circular.push(element));
                    case 5 -> push(element -> {
                        linked.push(element);
                        return true;
                    });
                    case 6 -> push(element -> {
                        stack.push(element);
                        return true;
                    });
                    case 7 -> pushToLose(lostCircular::push);
                    case 9 -> pushToLose(lostLinked::push);
                    case 10 -> pushToLose(lostStack::push);
                    case 11 -> pop((int) key % 2 == 0 ? 0 : LOST_CIRCULAR);
                    default -> pop((int) key % POPPED);
                }
            }

            private void add(String structure, long key, LongSupplier operation) {
                Effects effects = effects(structure, key);
                effects.possible++;
                if (attempt(operation::getAsLong) != null) {
                    effects.possible--;
                    effects.certain++;
                }
            }

            /** Pushes an element that may be lost before it is popped. */
            private void pushToLose(LongConsumer operation) {
                long element = nextElement++;
                doubted.add(element);
                attempt(() -> {
                    operation.accept(element);
                    return true;
                });
            }

            private void push(LongPredicate operation) {
                long element = nextElement++;
                doubted.add(element);
                Boolean isPushed = attempt(() -> operation.test(element));
                if (isPushed != null && isPushed) {
                    pushed.add(element);
                }
            }

            private void pop(int which) {
                int doubt = which < LOST_CIRCULAR ? 1 : 0;
                popsInDoubt += doubt;
                Long element = attempt(() -> popFrom(which));
                if (element != null) {
                    popsInDoubt -= doubt;
                    if (element != 0) {
                        popped.add(element);
                    }
                }
            }

            private long popFrom(int which) {
                Long element = switch (which) {
                    case 0 -> circular.pop(0);
                    case 1 -> linked.pop();
                    case 2 -> stack.pop();
                    case LOST_CIRCULAR -> lostCircular.pop(0);
                    case 4 -> lostLinked.pop();
                    default -> lostStack.pop();
                };
                return element == null ? 0 : element;
            }

            void drain() {
                for (int which = 0; which < LOST_CIRCULAR; which++) {
                    int from = which;
                    Long element = attempt(() -> popFrom(from));
                    while (element != null && element != 0) {
                        popped.add(element);
                        element = attempt(() -> popFrom(from));
                    }
                }
            }

            /**
             * Returns null if the operation has failed, or had to fail. A dying process leaves by an error that is not
             * caught.
             */
            private <T> @Nullable T attempt(Callable<T> operation) {
                try {
                    return operation.call();
                } catch (SegmentLostException lost) {
                    refusals++;
                    return null;
                } catch (RankUnreachableException away) {
                    return null;
                } catch (Exception unexpected) {
                    throw new AssertionError(unexpected);
                }
            }
        }
    }
}
