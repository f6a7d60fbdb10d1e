package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.StructureName;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StructureLocatorTest {

    private static final StructureName HITS = new StructureName("hits", "long-map");

    private final StructureLocator structures = new StructureLocator();

    /** Has one byte at rank 0. */
    private record Moving(long offset) implements StructureLocator.Occupant {

        @Override
        public String name() {
            return HITS.name();
        }

        @Override
        public boolean occupies(int rank, long at) {
            return rank == 0 && at == offset;
        }
    }

    @Test
    void aBlockBelongsToItsStructureFromItsFirstByteToItsLast() {
        structures.opened(HITS, new long[]{64, 0, 128}, new long[]{8, 0, 16});

        assertThat(structures.find(0, 63)).isNull();
        assertThat(structures.find(0, 64)).isEqualTo(HITS);
        assertThat(structures.find(0, 71)).isEqualTo(HITS);
        assertThat(structures.find(0, 72)).isNull();
        assertThat(structures.find(1, 0)).isNull();
        assertThat(structures.find(2, 143)).isEqualTo(HITS);
        assertThat(structures.find(2, -1)).isNull();
    }

    @Test
    void aStructureThatIsOpenedAgainIsKnownByItsLastBlocks() {
        structures.opened(HITS, new long[]{64}, new long[]{8});
        structures.opened(HITS, new long[]{128}, new long[]{8});

        assertThat(structures.find(0, 64)).isNull();
        assertThat(structures.find(0, 128)).isEqualTo(HITS);
        assertThat(structures.named("hits")).isEqualTo(HITS);
        assertThat(structures.named("misses")).isNull();
    }

    @Test
    void aStructureThatMovesIsAskedWhereItIs() {
        structures.opened(HITS, new long[]{64}, new long[]{8});
        var moving = new Moving(4096);
        structures.ask(moving);

        assertThat(structures.find(0, 4096)).isEqualTo(HITS);
        assertThat(structures.find(1, 4096)).isNull();
        assertThat(moving.name()).isEqualTo("hits");
    }

    @Test
    void aStructureThatNobodyKeepsIsNotKeptAlive() {
        structures.opened(HITS, new long[]{64}, new long[]{8});
        structures.ask(new Moving(4096));

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return structures.find(0, 4096) == null;
        });
    }
}
