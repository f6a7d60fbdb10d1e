package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Guarantees;
import io.atoll.promise.Promise;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the costs that the Javadoc promises, verb by verb. */
class LongLongMapCostTest {

    static final List<Guarantees> EVERY = CostWorld.EVERY;
    static final List<Guarantees> LINES = List.of(CostWorld.LINES, CostWorld.LINES_IN_ANY_ORDER);
    static final List<Guarantees> WORDS = List.of(CostWorld.WORDS, CostWorld.WORDS_IN_ANY_ORDER, CostWorld.COHERENT);

    private CostWorld world = new CostWorld(CostWorld.LINES);
    private LongLongMap map = open(world);
    private final long buckets = map.buckets() / CostWorld.RANKS;
    private final long key = CostWorld.keys(1, buckets, 1).getFirst();

    private static LongLongMap open(CostWorld world) {
        return LongLongMap.builder("map", world::participant, world.epochs()).fixedCapacity(CostWorld.CAPACITY).open();
    }

    private void use(Guarantees guarantees) {
        world = new CostWorld(guarantees);
        map = open(world);
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void whereEntriesArriveWholeInsertingANewKeyIsAnAtomicAndAWrite(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 1))).isEqualTo("A8 W16 in 2");
    }

    @ParameterizedTest
    @FieldSource("WORDS")
    void elsewhereTheWriteIsTwoInOneRoundTrip(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 1))).isEqualTo("A8 W8 W8 in 2");
    }

    private static final String INSERTION = "R256 A8 W8 W8 R64 in 1";

    @Test
    void whereTheOwnerDecidesEachChangeOfANewKeyIsOneRoundTrip() {
        use(CostWorld.GUARDING);
        List<Long> apart = LongStream.range(1, 100).filter(any -> map.owner(any) == 1).boxed().toList();
        assertThat(world.costOf(() -> assertThat(map.putIfAbsent(apart.get(0), 1)).isTrue())).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.put(apart.get(1), 2)).isTrue())).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.addAndGet(apart.get(2), 3)).isEqualTo(3))).isEqualTo(INSERTION);
        assertThat(world.costOf(() -> assertThat(map.getAndRemove(apart.get(3), 9)).isEqualTo(9)))
                .isEqualTo("R256 R64 in 1");
        assertThat(world.costOf(() -> assertThat(map.replace(apart.get(4), 1, 2)).isFalse()))
                .isEqualTo("R256 R64 in 1");
    }

    @Test
    void whereTheOwnerDecidesEachChangeOfAKeyThatIsThereIsOneRoundTrip() {
        use(CostWorld.GUARDING);
        for (long there : CostWorld.keys(1, buckets, 4)) { // all in one line
            map.put(there, 1);
            assertThat(world.costOf(() -> assertThat(map.putIfAbsent(there, 9)).isFalse()))
                    .isEqualTo("R256 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.addAndGet(there, 1)).isEqualTo(2)))
                    .isEqualTo("R256 A8 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.put(there, 3)).isFalse())).isEqualTo("R256 A8 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.getAndPut(there, 4, 0)).isEqualTo(3)))
                    .isEqualTo("R256 A8 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.replace(there, 4, 5)).isTrue())).isEqualTo("R256 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.replace(there, 4, 6)).isFalse()))
                    .isEqualTo("R256 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.getAndRemove(there, 0)).isEqualTo(5)))
                    .isEqualTo("R256 A8 R64 in 1");
            assertThat(world.costOf(() -> assertThat(map.put(there, 7)).isTrue())).as("again")
                    .isEqualTo("R256 A8 A8 R64 in 1");
        }
    }

    @Test
    void whereTheOwnerDecidesAKeyThatItDoesNotFindCostsWhatItDid() {
        use(CostWorld.GUARDING);
        List<Long> keys = CostWorld.keys(1, buckets, 18);
        keys.subList(0, 4).forEach(each -> map.put(each, 1));
        assertThat(world.costOf(() -> map.put(keys.get(4), 1))).as("in the second line")
                .isEqualTo("R256 A8 R64 R64 A8 W8 W8 in 3");
        assertThat(world.costOf(() -> map.addAndGet(keys.get(4), 1))).isEqualTo("R256 A8 A8 R64 in 1");
        keys.forEach(each -> map.put(each, 1));
        assertThat(world.costOf(() -> map.addAndGet(keys.get(16), 1))).as("behind four lines")
                .isEqualTo("R256 A8 R64 R64 R64 R64 R64 A8 in 6");
        map.getAndRemove(keys.get(1), 0);
        assertThat(world.costOf(() -> map.addAndGet(keys.get(1), 5))).as("a key that was removed")
                .isEqualTo("R256 A8 R64 A8 in 2");
    }

    @Test
    void whereTheOwnerDecidesASumThatDoesNotFitIsNeverThere() {
        use(CostWorld.GUARDING);
        for (int sign : new int[]{1, -1}) {
            long most = sign > 0 ? LongLongMap.LARGEST_VALUE : LongLongMap.SMALLEST_VALUE;
            map.put(key, most - sign);
            assertThat(world.costOf(() -> assertThatExceptionOfType(ArithmeticException.class)
                    .isThrownBy(() -> map.addAndGet(key, 2 * sign)))).isEqualTo("R256 A8 R64 in 1");
            assertThat(map.addAndGet(key, sign)).isEqualTo(most);
            assertThat(world.costOf(() -> map.addAndGet(key, -sign))).isEqualTo("R256 A8 A8 R64 in 1");
        }
    }

    @Test
    void whereTheOwnerDecidesTheKeyZeroIsOneRoundTripToo() {
        use(CostWorld.GUARDING);
        map.put(0, 1);
        assertThat(world.costOf(() -> assertThat(map.addAndGet(0, 1)).isEqualTo(2))).isEqualTo("R256 A8 A8 R64 in 1");
    }

    @Test
    void whereTheOwnerDecidesFewKeysArePutTogetherInOneRoundTrip() {
        use(CostWorld.GUARDING);
        long[] apart = LongStream.range(1, 100).filter(any -> map.owner(any) == 1).limit(4).toArray();
        long[] two = {apart[0], apart[1]};
        long[] others = {apart[2], apart[3]};
        long[] values = {7, 8};
        String looks = "R256 R256 in 1";
        assertThat(world.costOf(() -> map.putAll(two, values))).as("new")
                .isEqualTo("R256 R256 A8 W8 W8 A8 W8 W8 " + looks);
        assertThat(world.costOf(() -> map.putAll(two, values))).as("there")
                .isEqualTo("R256 A8 R256 A8 A8 A8 " + looks);
        assertThat(world.costOf(() -> map.putAll(two, values))).as("there, as the last ones")
                .isEqualTo("R256 A8 R256 A8 " + looks);
        assertThat(world.costOf(() -> map.putAll(others, values))).as("new, unlike the last ones")
                .isEqualTo("R256 R256 R256 R256 A8 W8 W8 A8 W8 W8 in 2");
        assertThat(map.getAll(apart, 0)).containsExactly(7, 8, 7, 8);
        map.getAndRemove(apart[0], 0);
        assertThat(world.costOf(() -> map.putAll(two, values))).as("removed, and there")
                .isEqualTo("R256 A8 R256 A8 A8 A8 " + looks);
    }

    @Test
    void whereTheOwnerDecidesMoreKeysAreLookedForAndThenPut() {
        use(CostWorld.GUARDING);
        for (int count : new int[]{21, 22}) {
            long[] keys = LongStream.range(1, 1_000).filter(any -> map.owner(any) == 1).limit(count).toArray();
            map.putAll(keys, keys);
            assertThat(world.journalOf(() -> map.putAll(keys, keys)).roundTrips()).isEqualTo(count - 20);
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void insertingAKeyThatIsThereIsAnAtomicAndARead(Guarantees guarantees) {
        use(guarantees);
        map.putIfAbsent(key, 1);
        assertThat(world.costOf(() -> map.putIfAbsent(key, 2))).isEqualTo("A8 R64 in 2");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void findingIsOneRead(Guarantees guarantees) {
        use(guarantees);
        assertThat(world.costOf(() -> map.getOrDefault(key, 0))).isEqualTo("R64 in 1");
        map.putIfAbsent(key, 1);
        assertThat(world.costOf(() -> map.getOrDefault(key, 0))).isEqualTo("R64 in 1");
        assertThat(world.costOf(() -> map.getOrDefault(key, 0, Promise.onlyReads()))).isEqualTo("R64 in 1");
        assertThat(world.costOf(() -> map.containsKey(key))).isEqualTo("R64 in 1");
        map.getAndRemove(key, 0);
        assertThat(world.costOf(() -> map.getOrDefault(key, 0))).isEqualTo("R64 in 1");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void whoPromisesOnlyInsertionsPaysWhatAnInsertionCosts(Guarantees guarantees) {
        use(guarantees);
        List<Long> keys = CostWorld.keys(1, buckets, 2);
        String one = world.costOf(() -> map.putIfAbsent(keys.get(0), 1));
        String next = world.costOf(() -> map.putIfAbsent(keys.get(1), 1));
        use(guarantees);
        assertThat(world.costOf(() -> assertThat(map.putIfAbsent(keys.get(0), 1, Promise.onlyInserts())).isTrue()))
                .isEqualTo(one);
        assertThat(world.costOf(() -> map.putIfAbsent(keys.get(1), 1, Promise.onlyInserts()))).isEqualTo(next);
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void localOperationsCostNoVerbOnAnyFabric(Guarantees guarantees) {
        use(guarantees);
        List<Long> own = CostWorld.keys(0, buckets, 3);
        map.putIfAbsent(own.get(0), 1);
        assertThat(world.costOf(() -> {
            assertThat(map.putIfAbsent(own.get(0), 2, Promise.local())).isFalse();
            assertThat(map.putIfAbsent(own.get(1), 2, Promise.local())).isTrue();
            assertThat(map.getOrDefault(own.get(0), 0, Promise.local())).isEqualTo(1);
            assertThat(map.getOrDefault(own.get(1), 0, Promise.local())).isEqualTo(2);
            assertThat(map.getOrDefault(own.get(2), 0, Promise.local())).isZero();
        })).isEqualTo("no verb");
        assertThat(map.addAndGet(own.get(1), 1)).isEqualTo(3);
    }

    @Test
    void localOperationsAreTheOwners() {
        assertThat(map.owner(key)).isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(() -> map.putIfAbsent(key, 1, Promise.local()))
                .withMessageEndingWith("structure=map owner=1 rank=0");
        assertThatIllegalStateException().isThrownBy(() -> map.getOrDefault(key, 0, Promise.local()))
                .withMessageEndingWith("structure=map owner=1 rank=0");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void incrementingReplacingAndRemovingAreAReadAndAnAtomic(Guarantees guarantees) {
        use(guarantees);
        map.putIfAbsent(key, 1);
        assertThat(world.costOf(() -> map.addAndGet(key, 1))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.put(key, 1))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.getAndPut(key, 2, 0))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.getAndRemove(key, 0))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.getAndRemove(key, 0))).isEqualTo("R64 in 1");
        assertThat(world.costOf(() -> map.addAndGet(key, 1))).isEqualTo("R64 A8 in 2");
        assertThat(world.ranksOf(() -> map.addAndGet(key, 1))).containsExactly(1);
    }

    @Test
    void theFirstAdditionToAKeyIsAWriteMore() {
        assertThat(world.costOf(() -> map.addAndGet(key, 1))).isEqualTo("R64 A8 W16 in 3");
    }

    @Test
    void replacingAKeyThatWasNeverThereIsAWriteMore() {
        assertThat(world.costOf(() -> map.put(key, 1))).isEqualTo("R64 A8 W16 in 3");
        long other = CostWorld.keys(1, buckets, 2).getLast();
        assertThat(world.costOf(() -> map.getAndPut(other, 1, 0))).isEqualTo("R64 A8 W16 in 3");
    }

    @Test
    void aReadBringsFourBuckets() {
        List<Long> keys = CostWorld.keys(1, buckets, 6);
        keys.forEach(each -> map.putIfAbsent(each, 1));
        keys.subList(0, 4)
                .forEach(each -> assertThat(world.costOf(() -> map.getOrDefault(each, 0))).isEqualTo("R64 in 1"));
        keys.subList(4, 6)
                .forEach(each -> assertThat(world.costOf(() -> map.getOrDefault(each, 0))).isEqualTo("R64 R64 in 2"));
    }

    @ParameterizedTest
    @CsvSource({"20, R256", "60, R128", "200, R64"})
    void severalKeysOfARankAreFoundInOneRoundTrip(int count, String read) {
        long[] keys = LongStream.range(1, 10_000)
                .filter(any -> KeyHash.rank(FixedHash.of(any), CostWorld.RANKS) == 1)
                .limit(count)
                .toArray();
        assertThat(world.costOf(() -> map.getAll(keys, 0))).isEqualTo((read + " ").repeat(count) + "in 1");
    }

    @Test
    void aValueIsExchangedByAReadAndAnAtomic() {
        map.putIfAbsent(key, 1);
        assertThat(world.costOf(() -> map.replace(key, 1, 2))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.replace(key, 1, 2))).isEqualTo("R64 in 1");
    }

    @Test
    void theKeyZeroCostsOneReadMoreWhereItsEntryMayNotHaveArrivedWhole() {
        int owner = KeyHash.rank(FixedHash.of(0), CostWorld.RANKS);
        for (Guarantees guarantees : List.of(CostWorld.WORDS, CostWorld.WORDS_IN_ANY_ORDER)) {
            use(guarantees);
            assertThat(world.ranksOf(() -> map.putIfAbsent(0, 1))).containsExactly(owner);
            assertThat(world.costOf(() -> map.getOrDefault(0, 0))).isEqualTo("R64 R8 in 2");
        }
        use(CostWorld.LINES);
        map.putIfAbsent(0, 1);
        assertThat(world.costOf(() -> map.getOrDefault(0, 0))).isEqualTo("R64 in 1");
    }

    @Test
    void theOwnKeysCostNothingWhereTheFabricsAtomicsAreTheProcessors() {
        use(CostWorld.COHERENT);
        long own = CostWorld.keys(0, buckets, 1).getFirst();
        assertThat(world.costOf(() -> {
            assertThat(map.putIfAbsent(own, 1)).isTrue();
            assertThat(map.addAndGet(own, 1)).isEqualTo(2);
            assertThat(map.put(own, 4)).isFalse();
            assertThat(map.getAndPut(own, 3, 0)).isEqualTo(4);
            assertThat(map.getOrDefault(own, 0)).isEqualTo(3);
            assertThat(map.getAndRemove(own, 0)).isEqualTo(3);
            map.forEachLocal((key, value) -> {});
        })).isEqualTo("no verb");
    }

    @Test
    void theOwnKeysAreReachedThroughTheFabricWhereItsAtomicsAreNotTheProcessors() {
        long own = CostWorld.keys(0, buckets, 1).getFirst();
        assertThat(world.costOf(() -> map.putIfAbsent(own, 1))).isEqualTo("A8 W16 in 2");
        assertThat(world.ranksOf(() -> map.getOrDefault(own, 0))).containsExactly(0);
    }

    @Test
    void iterationIsAReadForEach2048Buckets() {
        assertThat(buckets).isEqualTo(8_192);
        assertThat(world.costOf(() -> map.forEachLocal((key, value) -> {})))
                .isEqualTo("R32768 R32768 R32768 R32768 in 4");
        assertThat(world.costOf(() -> map.size())).isEqualTo("R32768 ".repeat(8) + "in 8");
        use(CostWorld.COHERENT);
        assertThat(world.costOf(() -> map.size())).isEqualTo("R32768 ".repeat(4) + "in 4");
    }
}
