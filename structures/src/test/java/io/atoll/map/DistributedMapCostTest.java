package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.fabric.Guarantees;
import io.atoll.promise.Promise;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Tests the costs that the Javadoc promises, verb by verb. One map has buckets of half a line, another has buckets of
 * two lines.
 */
class DistributedMapCostTest {

    static final List<Guarantees> EVERY = CostWorld.EVERY;
    static final List<Guarantees> LINES = List.of(CostWorld.LINES, CostWorld.LINES_IN_ANY_ORDER);
    static final List<Guarantees> WORDS = List.of(CostWorld.WORDS, CostWorld.WORDS_IN_ANY_ORDER, CostWorld.COHERENT);
    static final List<Guarantees> IN_ORDER = List.of(CostWorld.LINES, CostWorld.WORDS, CostWorld.COHERENT);
    static final List<Guarantees> IN_ANY_ORDER = List.of(CostWorld.LINES_IN_ANY_ORDER, CostWorld.WORDS_IN_ANY_ORDER);

    record Wide(long a, long b, long c, long d) {}

    private static final Wide VALUE = new Wide(1, 2, 3, 4);

    private CostWorld world = new CostWorld(CostWorld.LINES);
    private DistributedMap<Long, Long> map = open(world, "narrow", Long.class);
    private DistributedMap<Long, Wide> wide = open(world, "wide", Wide.class);
    private final long buckets = map.buckets() / CostWorld.RANKS;
    private final long key = CostWorld.keys(1, buckets, 1).getFirst();

    private static <V> DistributedMap<Long, V> open(CostWorld world, String name, Class<V> values) {
        return DistributedMap.builder(name, Codecs.forType(Long.class), Codecs.forType(values), world::participant,
                world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
    }

    private void use(Guarantees guarantees) {
        world = new CostWorld(guarantees);
        map = open(world, "narrow", Long.class);
        wide = open(world, "wide", Wide.class);
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void whereBucketsArriveWholeInsertingANewKeyIsAnAtomicAndAWrite(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 1L))).isEqualTo("A8 W24 in 2");
    }

    @ParameterizedTest
    @FieldSource("WORDS")
    void elsewhereTheWriteIsTwoInOneRoundTrip(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 1L))).isEqualTo("A8 W16 W8 in 2");
    }

    private static final String HOME = " R40 in 1"; // a bucket, and its state once more
    private static final String INSERTION = "R512 A8 W16 W8" + HOME;
    private static final String REPLACEMENT = " A8 W8 A8";

    @Test
    void whereTheOwnerDecidesEachChangeOfANewKeyIsOneRoundTrip() {
        use(CostWorld.GUARDING);
        List<Long> apart = LongStream.range(1, 100).filter(any -> map.owner(any) == 1).boxed().toList();
        assertThat(world.costOf(() -> assertThat(map.putIfAbsent(apart.get(0), 1L)).isTrue())).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.put(apart.get(1), 1L)).isTrue())).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.getAndPut(apart.get(2), 1L)).isNull())).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.getAndPutIfAbsent(apart.get(3), 1L)).isNull()))
                .isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.getAndReplace(apart.get(4), 1L)).isNull()))
                .isEqualTo("R512" + HOME);
        assertThat(world.costOf(() -> assertThat(map.getAndRemove(apart.get(5))).isNull())).isEqualTo("R512" + HOME);
    }

    @Test
    void whereTheOwnerDecidesEachChangeOfAKeyThatIsThereIsOneRoundTrip() {
        use(CostWorld.GUARDING);
        for (long there : CostWorld.keys(1, buckets, 8)) { // all in one group
            map.remove(there);
            map.put(there, 0L);
            assertThat(world.costOf(() -> assertThat(map.put(there, 1L)).isFalse()))
                    .isEqualTo("R512" + REPLACEMENT + " A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.put(there, 2L)).isFalse()))
                    .isEqualTo("R512" + REPLACEMENT + " A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.getAndPut(there, 3L)).isEqualTo(2)))
                    .isEqualTo("R512 R16" + REPLACEMENT + " A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.getAndReplace(there, 4L)).isEqualTo(3)))
                    .isEqualTo("R512 R16" + REPLACEMENT + HOME);
            assertThat(world.costOf(() -> assertThat(map.putIfAbsent(there, 9L)).isFalse()))
                    .isEqualTo("R512 A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.getAndPutIfAbsent(there, 9L)).isEqualTo(4)))
                    .isEqualTo("R512 R16 R8 A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.getAndRemove(there)).isEqualTo(4)))
                    .isEqualTo("R512 R16 A8" + HOME);
            map.put(there, 5L);
            assertThat(world.costOf(() -> assertThat(map.remove(there)).isTrue())).isEqualTo("R512 A8" + HOME);
            map.put(there, 6L);
        }
    }

    private static final String PUBLICATION = " W8 W8 in 2"; // behind the function

    @Test
    void whereTheOwnerDecidesAFunctionComputesTheValueOfAKeyThatIsThereInTwoRoundTrips() {
        use(CostWorld.GUARDING);
        for (long there : CostWorld.keys(1, buckets, 8)) { // all in one group
            map.remove(there);
            map.put(there, 1L);
            String home = " R40";
            assertThat(world.costOf(() -> assertThat(map.merge(there, 2L, Long::sum)).isEqualTo(3)))
                    .isEqualTo("R512 R16 A8 A8" + home + PUBLICATION);
            assertThat(world.costOf(() -> assertThat(map.compute(there, (_, value) -> value + 1)).isEqualTo(4)))
                    .isEqualTo("R512 R16 A8 A8" + home + PUBLICATION);
            assertThat(
                    world.costOf(() -> assertThat(map.computeIfPresent(there, (_, value) -> value + 1)).isEqualTo(5)))
                    .isEqualTo("R512 R16 A8" + home + PUBLICATION);
            assertThat(world.costOf(() -> assertThat(map.computeIfAbsent(there, _ -> 9L)).isEqualTo(5)))
                    .isEqualTo("R512 R16 R8 A8" + HOME);
            assertThat(world.costOf(() -> assertThat(map.computeIfPresent(there, (_, value) -> null)).isNull()))
                    .as("removed")
                    .isEqualTo("R512 R16 A8" + home + " A8 in 2");
            map.put(there, 6L);
        }
    }

    @Test
    void whereTheOwnerDecidesAFunctionComputesTheValueOfANewKeyInTwoRoundTrips() {
        use(CostWorld.GUARDING);
        List<Long> apart = LongStream.range(1, 100).filter(any -> map.owner(any) == 1).boxed().toList();
        String naming = "R512 A8 W8 W8 R40";
        assertThat(world.costOf(() -> map.merge(apart.get(0), 1L, Long::sum))).as("needs no function")
                .isEqualTo(INSERTION);
        assertThat(world.costOf(() -> map.compute(apart.get(1), (_, _) -> 1L))).isEqualTo(naming + PUBLICATION);
        assertThat(world.costOf(() -> map.computeIfAbsent(apart.get(2), _ -> 1L))).isEqualTo(naming + PUBLICATION);
        assertThat(world.costOf(() -> map.computeIfAbsent(apart.get(3), _ -> null))).isEqualTo(naming + " A8 in 2");
        assertThat(world.costOf(() -> map.computeIfPresent(apart.get(4), (_, value) -> value)))
                .isEqualTo("R512" + HOME);
        assertThat(apart.subList(0, 5).stream().map(map::get)).containsExactly(1L, 1L, 1L, null, null);
    }

    @Test
    void whereTheOwnerDecidesAWideValueIsReplacedInOneRoundTrip() {
        use(CostWorld.GUARDING);
        Wide other = new Wide(5, 6, 7, 8);
        wide.put(key, VALUE);
        assertThat(world.costOf(() -> assertThat(wide.getAndPut(key, other)).isEqualTo(VALUE))).endsWith(" in 1");
        assertThat(world.costOf(() -> assertThat(wide.getAndPut(key, VALUE)).isEqualTo(other))).endsWith(" in 1");
        assertThat(world.costOf(() -> assertThat(wide.getAndRemove(key)).isEqualTo(VALUE))).endsWith(" in 1");
        assertThat(world.costOf(() -> assertThat(wide.getAndRemove(key)).isNull())).endsWith(" in 1");
    }

    @Test
    void whereTheOwnerDecidesAKeyThatItDoesNotFindCostsWhatItDid() {
        use(CostWorld.GUARDING);
        List<Long> keys = CostWorld.keys(1, buckets, 2);
        map.put(keys.get(0), 1L);
        assertThat(world.costOf(() -> map.put(keys.get(1), 1L))).as("behind its home").endsWith("A8 W16 W8 in 3");
        map.remove(keys.get(0));
        assertThat(world.costOf(() -> map.put(keys.get(0), 2L))).as("a key that was removed").endsWith("A8 W8 W8 in 2");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void aWideEntryIsWrittenInTwoWritesAndOneRoundTrip(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> wide.putIfAbsent(key, VALUE))).isEqualTo("A8 W40 W8 in 2");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void whereBucketsArriveWholeGettingIsOneReadOfSeveral(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.get(key))).isEqualTo("R256 in 1");
        map.putIfAbsent(key, 1L);
        assertThat(world.costOf(() -> map.get(key))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.containsKey(key))).isEqualTo("R256 in 1");
        List<Long> keys = CostWorld.keys(1, buckets, 9);
        keys.forEach(each -> map.put(each, 1L));
        keys.subList(0, 8).forEach(each -> assertThat(world.costOf(() -> map.get(each))).isEqualTo("R256 in 1"));
        assertThat(world.costOf(() -> map.get(keys.getLast()))).isEqualTo("R256 R256 in 2");
    }

    @ParameterizedTest
    @FieldSource("IN_ORDER")
    void aWideBucketIsReadInOneRoundTripWhereReadsKeepTheirOrder(Guarantees guarantees) {
        use(guarantees);
        wide.putIfAbsent(key, VALUE);
        assertThat(world.costOf(() -> wide.get(key))).isEqualTo("R8 R128 R8 in 1");
        assertThat(world.costOf(() -> wide.containsKey(key))).isEqualTo("R8 R128 R8 in 1");
    }

    @ParameterizedTest
    @FieldSource("IN_ANY_ORDER")
    void elsewhereInThree(Guarantees guarantees) {
        use(guarantees);
        wide.putIfAbsent(key, VALUE);
        assertThat(world.costOf(() -> wide.get(key))).isEqualTo("R8 R128 R8 in 3");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void whoPromisesOnlyToReadReadsOnceOnEveryFabric(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.get(key, Promise.onlyReads()))).isEqualTo("R256 in 1");
        map.putIfAbsent(key, 7L);
        wide.putIfAbsent(key, VALUE);
        wide.put(key, VALUE);
        assertThat(world.costOf(() -> assertThat(map.get(key, Promise.onlyReads())).isEqualTo(7)))
                .isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> assertThat(wide.get(key, Promise.onlyReads())).isEqualTo(VALUE)))
                .isEqualTo("R256 in 1");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void whoPromisesOnlyInsertionsPaysWhatAnInsertionCosts(Guarantees guarantees) {
        use(guarantees);
        List<Long> keys = CostWorld.keys(1, buckets, 3);
        String one = world.costOf(() -> map.putIfAbsent(keys.get(0), 1L));
        String next = world.costOf(() -> map.putIfAbsent(keys.get(1), 1L));
        use(guarantees);
        assertThat(world.costOf(() -> assertThat(map.putIfAbsent(keys.get(0), 1L, Promise.onlyInserts())).isTrue()))
                .isEqualTo(one);
        assertThat(world.costOf(() -> map.putIfAbsent(keys.get(1), 1L, Promise.onlyInserts()))).isEqualTo(next);
        assertThat(map.putIfAbsent(keys.get(1), 2L, Promise.onlyInserts())).isFalse();
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void localOperationsCostNoVerbOnAnyFabric(Guarantees guarantees) {
        use(guarantees);
        List<Long> own = CostWorld.keys(0, buckets, 3);
        wide.putIfAbsent(own.get(0), VALUE);
        assertThat(world.costOf(() -> {
            assertThat(wide.putIfAbsent(own.get(0), VALUE, Promise.local())).isFalse();
            assertThat(wide.putIfAbsent(own.get(1), VALUE, Promise.local())).isTrue();
            assertThat(wide.get(own.get(0), Promise.local())).isEqualTo(VALUE);
            assertThat(wide.get(own.get(1), Promise.local())).isEqualTo(VALUE);
            assertThat(wide.get(own.get(2), Promise.local())).isNull();
            assertThat(map.putIfAbsent(own.get(1), 7L, Promise.local())).isTrue();
            assertThat(map.get(own.get(1), Promise.local())).isEqualTo(7);
        })).isEqualTo("no verb");
        assertThat(wide.get(own.get(1))).isEqualTo(VALUE);
        assertThat(map.put(own.get(1), 8L)).isFalse();
    }

    @Test
    void localOperationsAreTheOwners() {
        assertThat(map.owner(key)).isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(() -> map.putIfAbsent(key, 1L, Promise.local()))
                .withMessageEndingWith("structure=narrow owner=1 rank=0");
        assertThatIllegalStateException().isThrownBy(() -> map.get(key, Promise.local()))
                .withMessageEndingWith("structure=narrow owner=1 rank=0");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void puttingIsAReadAnAtomicAndAWrite(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.put(key, 1L))).isEqualTo("R256 A8 W24 in 3");
        assertThat(world.costOf(() -> map.put(key, 2L))).isEqualTo("R256 A8 W8 W8 in 3");
        map.getAndRemove(key);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 3L))).as("again").isEqualTo("A8 R256 A8 W8 W8 in 4");
        assertThat(world.costOf(() -> map.putIfAbsent(key, 4L))).isEqualTo("A8 R256 in 2");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void mergingIsAReadAnAtomicAndAWrite(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.merge(key, 1L, Long::sum))).isEqualTo("R256 A8 W24 in 3");
        assertThat(world.costOf(() -> assertThat(map.merge(key, 2L, Long::sum)).isEqualTo(3)))
                .isEqualTo("R256 A8 W8 W8 in 3");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void aConditionThatIsNotMetCostsARead(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.getAndReplace(key, 1L))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.remove(key, 1L))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.computeIfPresent(key, (same, present) -> 1L))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.getAndPutIfAbsent(key, 1L))).isEqualTo("A8 W24 in 2");
        assertThat(world.costOf(() -> map.getAndPutIfAbsent(key, 2L))).isEqualTo("A8 R256 in 2");
        assertThat(world.costOf(() -> map.replace(key, 3L, 4L))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.replace(key, 1L, 4L))).isEqualTo("R256 A8 W8 W8 in 3");
        assertThat(world.costOf(() -> map.getAndPut(key, 5L))).isEqualTo("R256 A8 W8 W8 in 3");
        assertThat(world.costOf(() -> map.computeIfAbsent(key, same -> 1L))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.remove(key, 5L))).isEqualTo("R256 A8 in 2");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void computingIsAReadAnAtomicAndAWrite(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.compute(key, (same, present) -> 1L))).as("never there")
                .isEqualTo("R256 A8 W16 W8 W8 in 4");
        assertThat(world.costOf(() -> map.compute(key, (same, present) -> 2L))).isEqualTo("R256 A8 W8 W8 in 3");
        assertThat(world.costOf(() -> map.compute(key, (same, present) -> null))).isEqualTo("R256 A8 A8 in 3");
        assertThat(world.costOf(() -> map.computeIfAbsent(key, same -> 3L))).isEqualTo("R256 A8 W8 W8 in 3");
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void removingIsAReadAndAnAtomic(Guarantees guarantees) {
        use(guarantees);
        map.putIfAbsent(key, 1L);
        assertThat(world.costOf(() -> map.getAndRemove(key))).isEqualTo("R256 A8 in 2");
        assertThat(world.costOf(() -> map.getAndRemove(key))).isEqualTo("R256 in 1");
        assertThat(world.ranksOf(() -> map.getAndRemove(key))).containsExactly(1);
    }

    private static final int SEVERAL = 10;
    private static final int BUCKETS_READ_AT_ONCE = 8;

    private static String times(String verbs) {
        return (verbs + " ").repeat(SEVERAL);
    }

    /** Returns keys of a rank of which no two are looked for at the same place. */
    private Map<Long, Long> several() {
        Placement placement = Placement.forCapacity(CostWorld.RANKS, CostWorld.CAPACITY);
        Set<Long> groups = new HashSet<>();
        return LongStream.range(1, 1_000_000)
                .filter(any -> placement.owner(FixedHash.of(any)) == 1)
                .filter(any -> groups.add(placement.home(FixedHash.of(any)) / BUCKETS_READ_AT_ONCE))
                .limit(SEVERAL)
                .boxed()
                .collect(Collectors.toMap(each -> each, each -> -each));
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void severalKeysOfARankAreFoundInOneRoundTripAndStoredInThree(Guarantees guarantees) {
        use(guarantees);
        Map<Long, Long> several = several();
        assertThat(world.costOf(() -> assertThat(map.getAll(several.keySet())).isEmpty()))
                .isEqualTo(times("R256") + "in 1");
        assertThat(world.costOf(() -> map.putAll(several)))
                .isEqualTo(times("R256") + times("A8") + times("W24") + "in 3");
        assertThat(world.costOf(() -> map.putAll(several)))
                .isEqualTo(times("R256") + times("A8") + times("W8 W8") + "in 3");
        assertThat(map.getAll(several.keySet())).isEqualTo(several);
    }

    @Test
    void whereTheOwnerDecidesFewKeysArePutInOneRoundTripIfTheLastOnesWereThere() {
        use(CostWorld.GUARDING);
        Map<Long, Long> several = several();
        String looks = times("R320"); // as many buckets as there is room for
        String changes = times("A8 W8 W8");
        assertThat(world.costOf(() -> map.putAll(several))).as("new")
                .isEqualTo(looks + times("A8 W16 W8") + "in 2");
        assertThat(world.costOf(() -> map.putAll(several))).as("there, unlike the last ones")
                .isEqualTo(looks + changes + "in 2");
        assertThat(world.costOf(() -> map.putAll(several))).as("there, as the last ones")
                .isEqualTo(times("R512" + REPLACEMENT) + looks + "in 1");
        long removed = several.keySet().iterator().next();
        map.remove(removed);
        assertThat(world.journalOf(() -> map.putAll(several)).roundTrips()).as("one is new").isEqualTo(2);
        assertThat(world.costOf(() -> map.putAll(several))).as("there, unlike the last ones")
                .isEqualTo(looks + changes + "in 2");
        assertThat(map.getAll(several.keySet())).isEqualTo(several);
    }

    @Test
    void whereTheOwnerDecidesMoreKeysAreLookedForAndThenPut() {
        use(CostWorld.GUARDING);
        for (int count : new int[]{21, 22}) {
            Map<Long, Long> entries = LongStream.range(1, 1_000)
                    .boxed()
                    .filter(any -> map.owner(any) == 1)
                    .limit(count)
                    .collect(Collectors.toMap(each -> each, each -> -each));
            map.putAll(entries);
            map.putAll(entries);
            assertThat(world.journalOf(() -> map.putAll(entries)).roundTrips()).isEqualTo(count - 20);
        }
    }

    @Test
    void elsewhereTheyAreReadBetweenTwoLooksAtTheirStates() {
        use(CostWorld.WORDS);
        assertThat(world.costOf(() -> map.getAll(several().keySet())))
                .isEqualTo(times("R232") + times("R256") + times("R232") + "in 1");
        use(CostWorld.WORDS_IN_ANY_ORDER);
        assertThat(world.costOf(() -> map.getAll(several().keySet())))
                .isEqualTo(times("R232") + times("R256") + times("R232") + "in 3");
    }

    @Test
    void theOwnKeysCostNothingWhereTheFabricsAtomicsAreTheProcessors() {
        use(CostWorld.COHERENT);
        long own = CostWorld.keys(0, buckets, 1).getFirst();
        assertThat(world.costOf(() -> {
            assertThat(wide.putIfAbsent(own, VALUE)).isTrue();
            assertThat(wide.put(own, VALUE)).isFalse();
            assertThat(wide.get(own)).isEqualTo(VALUE);
            assertThat(wide.get(own, Promise.onlyReads())).isEqualTo(VALUE);
            assertThat(wide.getAndRemove(own)).isEqualTo(VALUE);
            wide.forEachLocal((key, value) -> {});
        })).isEqualTo("no verb");
    }

    @Test
    void iterationIsAReadForEach32KibibytesWhereBucketsArriveWhole() {
        assertThat(buckets).isEqualTo(8_192);
        map.forEachLocal((key, value) -> {});
        assertThat(world.costOf(() -> map.forEachLocal((key, value) -> {}))).startsWith("R32512 ").endsWith(" in 9");
    }

    @Test
    void elsewhereItIsARoundTripForAThirdAsMuch() {
        use(CostWorld.WORDS);
        assertThat(world.costOf(() -> map.forEachLocal((key, value) -> {}))).startsWith("R10728 R10752 R10728 ")
                .endsWith(" in 25");
    }
}
