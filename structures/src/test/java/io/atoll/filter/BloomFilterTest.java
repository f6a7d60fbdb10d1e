package io.atoll.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import io.atoll.AllocatedBytes;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
class BloomFilterTest {

    private static final int RANKS = 3;

    record Reference(long customer, int number) {}

    record Name(String first, String last) {}

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        IntStream.range(0, RANKS).forEach(rank -> worlds.add(world(rank)));
    }

    private World world(int rank) {
        return World.named("test")
                .keySeed(FixedHash.SEED)
                .size(RANKS)
                .rank(rank)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    static Stream<Arguments> elements() {
        return Stream.of(Arguments.of(String.class, "seen", "unseen"), Arguments.of(Long.class, 1L, 2L),
                Arguments.of(Integer.class, 1, 2),
                Arguments.of(UUID.class, new UUID(1, 2), new UUID(2, 1)), Arguments.of(Double.class, 0.0, -0.0),
                Arguments.of(Reference.class, new Reference(7, 1), new Reference(7, 2)),
                Arguments.of(byte[].class, new byte[]{1, 2}, new byte[]{1, 2, 0}),
                Arguments.of(Name.class, new Name("a", "bc"), new Name("ab", "c")));
    }

    @ParameterizedTest
    @MethodSource("elements")
    <T> void whatOneRankHasAddedIsNewToNobody(Class<T> type, T seen, T unseen) {
        List<BloomFilter<T>> filters = worlds.stream()
                .map(world -> world.filter("seen", type).falsePositiveRate(1e-6).open())
                .toList();
        assertThat(filters.getFirst().add(seen)).isTrue();
        assertThat(filters).allSatisfy(filter -> {
            assertThat(filter.mightContain(seen)).isTrue();
            assertThat(filter.add(seen)).isFalse();
            assertThat(filter.mightContain(unseen)).isFalse();
        });
        assertThat(filters.getLast().add(unseen)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("elements")
    <T> void manyElementsAreAddedAsOneAfterTheOther(Class<T> type, T seen, T unseen) {
        BloomFilter<T> filter = worlds.getFirst().filter("seen", type).falsePositiveRate(1e-6).open();
        assertThat(filter.addAll(List.of(seen, seen))).containsExactly(true, false);
        assertThat(filter.mightContainAll(List.of(unseen, seen))).containsExactly(false, true);
        assertThat(filter.addAll(List.of(unseen, seen))).containsExactly(true, false);
        assertThat(filter.addAll(List.of())).isEmpty();
    }

    @Test
    void aUnionHasTheElementsOfBoth() {
        LongBloomFilter some = worlds.get(0).longFilter("some").expectedElements(10_000).open();
        LongBloomFilter others = worlds.get(1).longFilter("others").expectedElements(10_000).open();
        some.addAll(LongStream.range(0, 5_000).toArray());
        others.addAll(LongStream.range(5_000, 10_000).toArray());

        some.union(worlds.get(0).longFilter("others").expectedElements(10_000).open());

        assertThat(some.mightContainAll(LongStream.range(0, 10_000).toArray())).doesNotContain(false);
        assertThat(some.occupancy().elements()).isCloseTo(10_000, withinPercentage(5));
        assertThat(others.occupancy().elements()).as("the other is not changed").isCloseTo(5_000, withinPercentage(5));
    }

    @Test
    void onlyFiltersAlikeHaveAUnion() {
        BloomFilter<String> texts = worlds.getFirst().filter("texts", String.class).open();
        BloomFilter<String> more = worlds.getFirst().filter("more", String.class).expectedElements(70_000).open();
        assertThatIllegalArgumentException().isThrownBy(() -> texts.union(more))
                .withMessageStartingWith("only filters alike have a union: filter=texts elements=string");
        LongBloomFilter longs = worlds.getFirst().longFilter("longs").open();
        LongBloomFilter moreLongs = worlds.getFirst().longFilter("more-longs").falsePositiveRate(0.1).open();
        assertThatIllegalArgumentException().isThrownBy(() -> longs.union(moreLongs));
    }

    @Test
    void aClearedFilterIsAsGoodAsNew() {
        List<BloomFilter<String>> filters = worlds.stream()
                .map(world -> world.filter("seen", String.class).expectedElements(200_000).open())
                .toList();
        filters.get(0).addAll(List.of("a", "b", "c"));
        filters.get(1).clear();
        assertThat(filters.get(2).occupancy().setBits()).isZero();
        assertThat(filters.get(2).addAll(List.of("a", "b", "c"))).containsExactly(true, true, true);
    }

    @Test
    void aFilterOfLongsIsOneOfBoxedLongs() {
        LongBloomFilter longs = worlds.get(0).longFilter("seen").expectedElements(1_000).open();
        BloomFilter<Long> boxed = worlds.get(1).filter("seen", Long.class).expectedElements(1_000).open();
        for (long element = 0; element < 1_000; element++) {
            boolean there = longs.mightContain(element);
            assertThat(boxed.add(element)).isEqualTo(!there);
            assertThat(longs.mightContain(element)).isTrue();
        }
    }

    @Test
    void elementsOfATypeWithoutCodecAreHashedByAHashOfOnesOwn() {
        BloomFilter<URI> filter = worlds.get(0).filter("seen", URI.class).hash(URI::hashCode).open();
        assertThat(filter.add(URI.create("a:b"))).isTrue();
        assertThat(filter.add(URI.create("a:b"))).isFalse();
        assertThat(filter.add(URI.create("a:c"))).isTrue();
    }

    /** Small numbers differ in low bits only. These bits choose neither rank nor word. */
    @Test
    void aWeakHashIsMixedBeforeItChoosesAPlace() {
        BloomFilter<Integer> filter = worlds.get(0)
                .filter("seen", Integer.class)
                .hash(element -> element)
                .expectedElements(10_000)
                .open();
        long added = IntStream.range(0, 10_000).filter(filter::add).count();
        assertThat(added).isGreaterThan(9_900);
    }

    @Test
    void elementsWithACodecOfOnesOwnAreHashedByItsWords() {
        BloomFilter<byte[]> filter = worlds.get(0).filter("seen", byte[].class).codec(Codecs.bytes(20)).open();
        byte[] digest = "twenty bytes exactly".getBytes(StandardCharsets.US_ASCII);
        assertThat(filter.add(digest)).isTrue();
        assertThat(filter.add(digest.clone())).isFalse();
    }

    @Test
    void aTypeThatCannotBeHashedIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> worlds.get(0).filter("seen", URI.class).open())
                .withMessageEndingWith("type=java.net.URI");
    }

    @Test
    void aFilterOfAnotherConfigurationIsRefusedWithBoth() {
        worlds.get(0).filter("seen", String.class).expectedElements(1_000).falsePositiveRate(0.001).open();
        assertThatExceptionOfType(ConfigurationMismatchException.class)
                .isThrownBy(() -> worlds.get(1)
                        .filter("seen", String.class)
                        .expectedElements(2_000)
                        .falsePositiveRate(0.001)
                        .open())
                .satisfies(failure -> {
                    assertThat(failure.existing())
                            .isEqualTo("bloom-filter elements=string expected-elements=1000 false-positive-rate=0.001");
                    assertThat(failure.asked())
                            .isEqualTo("bloom-filter elements=string expected-elements=2000 false-positive-rate=0.001");
                });
        assertThatExceptionOfType(ConfigurationMismatchException.class)
                .isThrownBy(() -> worlds.get(1)
                        .filter("seen", UUID.class)
                        .expectedElements(1_000)
                        .falsePositiveRate(0.001)
                        .open());
    }

    @Test
    void aFilterThatDoesNotFitIsRefusedAndLeavesNothing() {
        assertThatExceptionOfType(SegmentFullException.class)
                .isThrownBy(() -> worlds.get(0).longFilter("large").expectedElements(100_000_000).open());
        assertThat(worlds.get(0).structures()).isEmpty();
        assertThat(worlds.get(0).longFilter("large").open().add(1)).isTrue();
    }

    @Test
    void ofConcurrentAddsOfOneElementExactlyOneIsNew() throws Exception {
        int elements = 50_000;
        List<LongBloomFilter> filters = worlds.stream()
                .map(world -> world.longFilter("seen").expectedElements(elements).falsePositiveRate(1e-6).open())
                .toList();
        long[] expected = LongStream.range(0, elements).toArray();
        CyclicBarrier start = new CyclicBarrier(RANKS);
        try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
            List<Future<boolean[]>> results = filters.stream().map(filter -> threads.submit(() -> {
                boolean[] wasNew = new boolean[elements];
                start.await();
                for (int index = 0; index < elements; index++) {
                    wasNew[index] = filter.add(expected[index]);
                }
                return wasNew;
            })).toList();
            int[] news = new int[elements];
            for (Future<boolean[]> result : results) {
                boolean[] wasNew = result.get();
                IntStream.range(0, elements).forEach(index -> news[index] += wasNew[index] ? 1 : 0);
            }
            // 50,000 elements at one in a million: the chance is 1 in 20 that an element is there by mistake. With
            // these elements there is none.
            assertThat(IntStream.of(news)).containsOnly(1);
        }
    }

    @Test
    void aRankThatHasLeftIsNamedAndItsElementsAreThereWhenItIsBack() {
        LongBloomFilter filter = worlds.get(0).longFilter("seen").open();
        long element = LongStream.range(0, 100)
                .filter(candidate -> KeyHash.rank(FixedHash.of(candidate), RANKS) == 2)
                .findFirst()
                .orElseThrow();
        filter.add(element);

        worlds.get(2).close();
        await().untilAsserted(() -> assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> filter.mightContain(element))
                .satisfies(failure -> assertThat(failure.rank()).isEqualTo(2)));
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> filter.add(element));

        worlds.set(2, world(2));
        await().ignoreExceptionsInstanceOf(RankUnreachableException.class)
                .untilAsserted(() -> assertThat(filter.mightContain(element)).isTrue());
        assertThat(worlds.get(2).longFilter("seen").open().mightContain(element)).isTrue();
    }

    @Test
    void addingAndAskingAllocateNothing() {
        LongBloomFilter longs = worlds.get(0).longFilter("longs").open();
        BloomFilter<String> texts = worlds.get(0).filter("texts", String.class).open();
        BloomFilter<UUID> ids = worlds.get(0).filter("ids", UUID.class).open();
        String[] someTexts = IntStream.range(0, 1_000).mapToObj(Integer::toString).toArray(String[]::new);
        UUID[] someIds = IntStream.range(0, 1_000).mapToObj(index -> new UUID(index, index)).toArray(UUID[]::new);
        assertThat(AllocatedBytes.of(() -> {
            for (int index = 0; index < 1_000; index++) {
                longs.mightContain(index);
                longs.add(index);
                texts.mightContain(someTexts[index]);
                texts.add(someTexts[index]);
                ids.mightContain(someIds[index]);
                ids.add(someIds[index]);
            }
        })).isZero();
    }
}
