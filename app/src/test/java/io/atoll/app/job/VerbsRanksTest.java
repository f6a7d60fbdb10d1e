package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.world.directory.NamedStructure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every structure, used by ranks that are processes and reach each other by RDMA. */
@Tag("rdma")
@EnabledIf(value = "hasDevice", disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests -Prdma-lab test")
@ParameterizedClass(name = "{0} ranks")
@ValueSource(ints = {2, 3})
@Timeout(300)
class VerbsRanksTest {

    private static final long SEGMENT_BYTES = 8 << 20;
    private static final int KEYS = 100;

    @TempDir
    private Path folder;

    private final int ranks;

    VerbsRanksTest(int ranks) {
        this.ranks = ranks;
    }

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    record Point(long x, long y, long z) {}

    /** What every rank does. */
    enum Use {
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

    record Using(Use use) implements JobRank.Program {

        @Override
        public void run(JobRank rank) throws InterruptedException {
            World world = rank.join(SEGMENT_BYTES);
            assertThat(world.fabric()).isEqualTo("verbs");
            use.of(world);
            world.barrier();
            rank.print("rank " + rank.rank());
        }
    }

    static Stream<Use> uses() {
        return Stream.of(Use.values());
    }

    @ParameterizedTest
    @MethodSource("uses")
    void ranksThatAreProcessesShareIt(Use use) throws Exception {
        try (Job job = new Job("verbs", ranks, JobFabric.VERBS, folder, Optional.empty(), false)) {
            assertThat(job.run(new Using(use)).output()).hasSize(ranks).doesNotHaveDuplicates();
        }
    }
}
