package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.array.LongArray;
import io.atoll.failure.SegmentLostException;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.world.NamedStructure;
import io.atoll.world.OnLoss;
import java.io.IOException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ranks come back without their segments while others go on. This class uses shared memory, and its subclasses use
 * other fabrics.
 */
@Tag("processes")
class LostSegmentTest extends LossyWorlds {

    static long keyOf(LongLongMap map, int owner) {
        return LongStream.range(0, 1_000).filter(key -> map.owner(key) == owner).findFirst().orElseThrow();
    }

    @Test
    void whatIsLostIsSaidToBeLostAndWhatIsNotIsThere() throws IOException {
        LongLongMap map = survivor().longMap("hits").open();
        LongStream.range(0, 1_000).forEach(key -> map.put(key, key + 1));
        World again = lose(2);

        assertThatExceptionOfType(SegmentLostException.class).isThrownBy(() -> map.put(keyOf(map, 2), 5))
                .satisfies(lost -> {
                    assertThat(lost.rank()).isEqualTo(2);
                    assertThat(lost.born()).isEqualTo(again.incarnation()).isEqualTo(2);
                    assertThat(lost.structure()).contains("hits");
                    assertThat(lost.kind()).contains("long-map");
                })
                .withMessageStartingWith("what lay in this rank's segment was lost with it, since the rank came back"
                        + " without its memory: use a structure of another name, or one that is opened with "
                        + "on-loss=empty: ");
        for (int owner = 0; owner < 2; owner++) {
            long key = keyOf(map, owner);
            assertThat(map.getOrDefault(key, 0)).isEqualTo(key + 1);
            assertThat(map.addAndGet(key, 1)).isEqualTo(key + 2);
        }
    }

    @Test
    void whoLooksOnSeesTheSegmentThatTheRankHasNow() throws IOException {
        Inspection inspection = survivor().inspection();
        survivor().longMap("hits").open();
        lose(2);
        assertThat(inspection.isMapped(2)).isEqualTo(hosts.areMapped());
        assertThat(inspection.heapUsage(2)).isPresent();
        assertThat(inspection.structures(2)).hasValueSatisfying(
                there -> assertThat(there).extracting(NamedStructure::name).doesNotContain("hits"));
    }

    @Test
    void whatBeginsEmptyGoesOnByTheSameObjects() throws IOException {
        LongLongMap longs = survivor().longMap("hits").onLoss(OnLoss.EMPTY).open();
        DistributedMap<Long, String> texts = survivor().map("texts", Long.class, String.class)
                .onLoss(OnLoss.EMPTY)
                .open();
        LongBloomFilter filter = survivor().longFilter("seen").onLoss(OnLoss.EMPTY).open();
        LongArray array = survivor().longArray("cells").length(300).onLoss(OnLoss.EMPTY).open();
        for (long key = 0; key < 300; key++) {
            longs.put(key, key);
            texts.put(key, "text " + key);
            filter.add(key);
            array.set(key, key + 1);
        }
        for (int turn = 0; turn < 3; turn++) {
            World again = lose(2);
            for (long key = 0; key < 300; key++) {
                boolean isLost = longs.owner(key) == 2;
                assertThat(longs.getOrDefault(key, -1)).isEqualTo(isLost ? -1 : key);
                assertThat(array.get(key)).isEqualTo(key >= 200 ? 0 : key + 1);
            }
            assertThat(LongStream.range(0, 300).filter(filter::mightContain).count()).isBetween(100L, 299L);
            assertThat(LongStream.range(0, 300).filter(key -> texts.get(key) != null).count())
                    .isBetween(100L, 299L);
            LongLongMap there = again.longMap("hits").onLoss(OnLoss.EMPTY).open();
            LongArray thereToo = again.longArray("cells").length(300).onLoss(OnLoss.EMPTY).open();
            for (long key = 0; key < 300; key++) {
                longs.put(key, key);
                texts.put(key, "text " + key);
                filter.add(key);
                array.set(key, key + 1);
                survivor().participant().endpoint().flush();
                assertThat(there.getOrDefault(key, -1)).isEqualTo(key);
                assertThat(thereToo.get(key)).isEqualTo(key + 1);
                assertThat(texts.get(key)).isEqualTo("text " + key);
                assertThat(filter.mightContain(key)).isTrue();
            }
        }
    }

    @Test
    void ranksAreLostOneAfterTheOther() throws IOException {
        int losses = 0;
        for (int rank : new int[]{2, 0, 1, 0, 2}) {
            World former = worlds.get((rank + 1) % RANKS);
            LongLongMap map = former.longMap("map before loss " + ++losses).capacity(1_000).open();
            map.put(1, 2);
            lose(rank);
            String name = "map since loss " + losses;
            LongStream.range(0, 300)
                    .forEach(key -> worlds.get((int) key % 3).longMap(name).capacity(1_000).open().put(key, key));
            for (World world : worlds) {
                assertThat(world.longMap(name).capacity(1_000).open().size()).isEqualTo(300);
            }
        }
    }

    @Test
    void twoRanksAreLostAtOnce() throws IOException {
        LongLongMap hits = survivor().longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        loseAll(1, 2);
        for (World world : worlds) {
            LongLongMap map = world.longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
            LongStream.range(0, 300)
                    .forEach(key -> assertThat(map.getOrDefault(key, -1)).isEqualTo(map.owner(key) == 0 ? key : -1));
        }
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        assertThat(worlds.get(2).longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open().size()).isEqualTo(300);
    }

    @Test
    void oneIsLostWhileAnotherIsStartedAgain() throws IOException {
        LongLongMap hits = survivor().longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
        LongStream.range(0, 300).forEach(key -> hits.put(key, key));
        worlds.get(1).close();
        end(2);
        begin(1);
        begin(2);
        awaitAll();
        for (World world : worlds) {
            LongLongMap map = world.longMap("hits").onLoss(OnLoss.EMPTY).capacity(1_000).open();
            LongStream.range(0, 300)
                    .forEach(key -> assertThat(map.getOrDefault(key, -1)).isEqualTo(map.owner(key) == 2 ? -1 : key));
        }
    }
}
