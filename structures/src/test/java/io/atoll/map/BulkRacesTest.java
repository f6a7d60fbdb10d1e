package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.codec.WideCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Token;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.InterposedFabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.StructureName;
import io.atoll.heap.MutatedFabric;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations on several keys of other ranks, while something goes on or goes wrong. */
class BulkRacesTest {

    private static final List<Long> KEYS = LongStream.range(1, 9).boxed().toList();

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(CostWorld.RANKS)
            .segmentBytes(4 << 20)
            .guarantees(CostWorld.WORDS)
            .unmapped());

    /** The participant of rank 0, by a fabric. */
    private record Self(Participant participant, EpochManager epochs) {

        static Self by(Fabric fabric) {
            Participant participant = Participants.amongTheLiving(fabric);
            return new Self(participant, new EpochManager(() -> participant, EpochSettings.DEFAULT));
        }

        long[] headers() {
            long[] headers = new long[CostWorld.RANKS];
            Arrays.setAll(headers, owner -> participant.heap().reserve(owner, BlockHead.HEADER_BYTES));
            return headers;
        }

        LongLongMap longMap() {
            return LongLongMap.builder("longs", () -> participant, epochs).capacity(1).open();
        }
    }

    private static long[] keysOf(int owner, int count) {
        return LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == owner)
                .limit(count)
                .toArray();
    }

    /** Executes verbs at once, or not, until it has been asked a number of times. Then it is the other way round. */
    private static final class ChangingFabric extends MutatedFabric {

        private final boolean atFirst;
        private int questions;

        ChangingFabric(Fabric faithful, boolean atFirst) {
            super(faithful);
            this.atFirst = atFirst;
        }

        @Override
        public boolean executesAtOnce(int target) {
            return questions-- > 0 == atFirst;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noKeyIsForgottenWhenItsRankIsReachedOtherwiseMeanwhile(boolean atFirst) {
        var fabric = new ChangingFabric(simulation.fabric(0), atFirst);
        Self self = Self.by(fabric);
        LongLongMap longs = self.longMap();
        DistributedMap<Long, Long> map = DistributedMap
                .builder("map", Long.class, Long.class, self::participant, self.epochs)
                .capacity(1)
                .open();
        long[] keys = KEYS.stream().mapToLong(key -> key).toArray();
        for (int questions = 0; questions < 40; questions++) {
            long value = questions;
            long[] values = new long[keys.length];
            Arrays.fill(values, value);
            Map<Long, Long> entries = KEYS.stream().collect(Collectors.toMap(key -> key, key -> value));
            fabric.questions = questions;
            longs.putAll(keys, values);
            fabric.questions = questions;
            map.putAll(entries);
            for (long key : keys) {
                assertThat(longs.getOrDefault(key, -1)).as("key=%s questions=%s", key, questions).isEqualTo(value);
                assertThat(map.get(key)).as("key=%s questions=%s", key, questions).isEqualTo(value);
            }
            fabric.questions = questions;
            assertThat(longs.getAll(keys, -1)).as("questions=" + questions).isEqualTo(values);
            fabric.questions = questions;
            assertThat(map.getAll(KEYS)).as("questions=" + questions).isEqualTo(entries);
        }
    }

    @Test
    void theBlocksOfAllOwnersAreHelpedToBeReplaced() {
        LongLongMap map = Self.by(simulation.fabric(0)).longMap();
        long[] keys = {keysOf(0, 1)[0], keysOf(1, 1)[0]};
        long buckets = map.buckets();
        for (long key : keysOf(1, 7)) {
            map.put(key, 0);
        }
        assertThat(map.buckets()).isEqualTo(buckets);
        for (int count = 0; count < 100; count++) {
            map.putAll(keys, keys);
        }
        assertThat(map.buckets()).isGreaterThan(buckets);
    }

    /** What other threads retire, and the blocks that are outgrown, waits for the pins to end. */
    @Test
    void noPinLastsForMoreThanSomeHundredKeys() {
        Self self = Self.by(simulation.fabric(0));
        int[] pins = {0};
        var blocks = new GrowingBlocks(new StructureName("longs", "map"), self.participant, self.epochs,
                self.headers(), 4_096, LongBucket.SIZE, OnLoss.FAIL) {
            @Override
            public @Nullable Token begin() {
                pins[0]++;
                return super.begin();
            }
        };
        var table = new LongTable("longs", self.participant, blocks, null);
        long[] keys = LongStream.range(0, 1_200).toArray();
        table.putAll(keys, keys);
        assertThat(pins[0]).isBetween(4, 100);
    }

    /** Fails after a write, which others have seen. */
    private static final class FailingWrites implements InterposedFabric.Interposed {

        private int left;

        @Override
        public void before(String verb) {
            // Each verb is executed.
        }

        @Override
        public void after(String verb) {
            if (verb.startsWith("write") && --left == 0) {
                throw new IllegalStateException("a connection has broken, say");
            }
        }
    }

    @Test
    void whatIsStoredWhenAWriteFailsIsCounted() {
        var writes = new FailingWrites();
        LongLongMap map = Self.by(InterposedFabric.around(simulation.fabric(0), writes)).longMap();
        long[] keys = LongStream.concat(Arrays.stream(keysOf(0, 3)), Arrays.stream(keysOf(1, 3))).toArray();
        boolean fails = true;
        int partly = 0;
        for (int write = 1; fails; write++) {
            writes.left = write;
            try {
                map.putAll(keys, keys);
                fails = false;
            } catch (IllegalStateException broken) {
                partly += map.size() > 0 && map.size() < keys.length ? 1 : 0;
            }
            writes.left = 0;
            assertThat(map.sizeEstimate()).as("write=" + write).isEqualTo(map.size());
            map.clear();
        }
        assertThat(partly).isPositive();
    }

    /** A block of eight buckets in two pieces. What follows the first piece is no bucket. */
    @Test
    void aSearchDoesNotReadBeyondAPieceOfABlock() {
        Self self = Self.by(simulation.fabric(0));
        Participant participant = self.participant;
        var keys = new WideCodec(1);
        var values = new WideCodec(511);
        Bucket bucket = new Bucket(keys.bytes(), values.bytes());
        var runs = new BlockRuns(participant, bucket.size) {
            @Override
            Reserved reserve(int owner, long buckets) {
                return reservePieces(owner, buckets, 2);
            }
        };
        var blocks = new GrowingBlocks(new StructureName("wide", "map"), participant, self.epochs, self.headers(), 8,
                bucket.size, runs, new Migration(participant), OnLoss.FAIL);
        Hashing hashing = InlineEntries.hashing(participant, keys, null);
        var table = new BucketTable("wide", participant, blocks, bucket, hashing, null);
        var entries = new InlineEntries<>(table, keys, values, null);
        List<Long> both = LongStream.range(0, 10_000)
                .boxed()
                .filter(key -> {
                    long hash = hashing.hashOf(MemorySegment.ofArray(new long[]{key}), 0);
                    return table.owner(hash) == 1 && Block.home(Block.of(0, 8), hash) == 3;
                })
                .limit(2)
                .toList();
        both.forEach(key -> entries.insert(key, 1L));
        long behind = blocks.offset(1, blocks.first(1), 3, bucket.size) + bucket.size;
        assertThat(blocks.offset(1, blocks.first(1), 4, bucket.size)).isNotEqualTo(behind);
        table.endpoint.writeWord(1, behind, Bucket.settled(Bucket.READY, 0));
        table.endpoint.writeWord(1, behind + bucket.key, -1);
        entries.put(both.stream().map(key -> Map.entry(key, 2L)).toList());
        assertThat(entries.count(1)).isEqualTo(2);
        entries.put(List.of(Map.entry(both.getLast(), 3L)));
        assertThat(entries.count(1)).isEqualTo(2);
        entries.find(both, (key, value) -> assertThat(value).isEqualTo(key.equals(both.getLast()) ? 3 : 2));
    }
}
