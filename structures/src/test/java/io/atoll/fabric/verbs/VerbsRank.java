package io.atoll.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.process.Program;
import io.atoll.world.directory.NamedStructure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rank that reaches the others by RDMA, and uses the structures that its test names. */
final class VerbsRank implements Program {

    private static final int KEYS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    private @Nullable World world;

    private record Point(long x, long y, long z) {}

    /** What every rank does with a structure, at the same time. */
    private enum Use {
        LONG_MAP {
            @Override
            void of(World world) throws InterruptedException {
                LongLongMap counts = world.longMap("counts").capacity(1_000).open();
                for (long key = 0; key < KEYS; key++) {
                    counts.increment(key, 1 + world.rank());
                }
                world.barrier();
                long all = LongStream.rangeClosed(1, world.size()).sum();
                for (long key = 0; key < KEYS; key++) {
                    assertThat(counts.find(key, -1)).isEqualTo(all);
                }
                world.barrier();
                for (long key = world.rank(); key < KEYS; key += world.size()) {
                    assertThat(counts.remove(key, -1)).isEqualTo(all);
                }
                world.barrier();
                assertThat(LongStream.range(0, KEYS).filter(counts::contains)).isEmpty();
            }
        },
        MAP {
            @Override
            void of(World world) throws InterruptedException {
                DistributedMap<Long, Point> points = world.map("points", Long.class, Point.class)
                        .capacity(1_000)
                        .open();
                boolean[] inserted = new boolean[KEYS];
                for (int key = 0; key < KEYS; key++) {
                    inserted[key] = points.insert((long) key, point(key, 1));
                }
                long[] winners = new long[KEYS];
                Arrays.setAll(winners, key -> inserted[key] ? 1 : 0);
                world.allReduce(winners, Long::sum);
                assertThat(winners).containsOnly(1);
                for (long key = world.rank(); key < KEYS; key += world.size()) {
                    points.put(key, point(key, 2));
                }
                world.barrier();
                for (long key = 0; key < KEYS; key++) {
                    assertThat(points.find(key)).isEqualTo(point(key, 2));
                }
            }
        },
        FILTERS {
            @Override
            void of(World world) throws InterruptedException {
                BloomFilter<String> texts = world.filter("texts", String.class)
                        .expectedElements(10_000)
                        .falsePositiveRate(0.001)
                        .open();
                LongBloomFilter longs = world.longFilter("longs")
                        .expectedElements(10_000)
                        .falsePositiveRate(0.001)
                        .open();
                long[] added = new long[2];
                for (int element = 0; element < KEYS; element++) {
                    added[0] += texts.add("element " + element) ? 1 : 0;
                    added[1] += longs.add(element) ? 1 : 0;
                }
                world.allReduce(added, Long::sum);
                for (long each : added) {
                    assertThat(each).as("new to one rank only").isBetween(KEYS - 3L, (long) KEYS);
                }
                for (int element = 0; element < KEYS; element++) {
                    assertThat(texts.mightContain("element " + element)).isTrue();
                    assertThat(longs.mightContain(element)).isTrue();
                }
            }
        },
        BARRIER {
            @Override
            void of(World world) throws InterruptedException {
                LongLongMap rounds = world.longMap("rounds").capacity(100).open();
                for (long round = 1; round <= 10; round++) {
                    rounds.put(world.rank(), round);
                    world.barrier();
                    for (int rank = 0; rank < world.size(); rank++) {
                        assertThat(rounds.find(rank, 0)).isEqualTo(round);
                    }
                    world.barrier();
                }
            }
        },
        ALL_REDUCE {
            @Override
            void of(World world) throws InterruptedException {
                long[] values = new long[200];
                Arrays.setAll(values, index -> world.rank() * 1_000L + index);
                world.allReduce(values, Math::max);
                for (int index = 0; index < values.length; index++) {
                    assertThat(values[index]).isEqualTo((world.size() - 1) * 1_000L + index);
                }
            }
        },
        DIRECTORY {
            @Override
            void of(World world) throws InterruptedException {
                for (int number = 0; number < 5; number++) {
                    world.longMap("map" + number).capacity(100).open(); // all ranks at once
                }
                world.barrier();
                assertThat(world.structures()).extracting(NamedStructure::name)
                        .contains("map0", "map1", "map2", "map3", "map4")
                        .doesNotHaveDuplicates();
            }
        };

        abstract void of(World world) throws InterruptedException;

        static Point point(long key, long generation) {
            return new Point(key, generation * key, generation);
        }
    }

    /** The names of all that a rank can be told to use. */
    static Stream<String> uses() {
        return Arrays.stream(Use.values()).map(Use::name);
    }

    /** {@code open FOLDER SIZE RANK}, then {@code use NAME} as often as one likes. */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        if (command.equals("open")) {
            World opened = World.named("verbs-ranks")
                    .size(Integer.parseInt(arguments.get(1)))
                    .rank(Integer.parseInt(arguments.get(2)))
                    .segment(8 << 20)
                    .joinTimeout(PATIENCE)
                    .fabric(new Verbs(Fabrics.sharedMemory(Path.of(arguments.get(0)), false)))
                    .open();
            world = opened;
            return opened.fabric();
        }
        World joined = opened();
        try {
            Use.valueOf(arguments.getFirst()).of(joined);
        } catch (AssertionError wrong) {
            throw new IllegalStateException(String.valueOf(wrong.getMessage()), wrong);
        }
        joined.barrier();
        return "used";
    }

    private World opened() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
