package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Simulation;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A version follows the last one that is 0, and no bit beside the version changes. */
@Tag("simulation")
class LastVersionTest {

    static final List<Guarantees> EVERY_FABRIC = MapSimulation.EVERY_FABRIC;

    private static final Codec<Long> LONG = Codecs.forType(Long.class);
    private static final long KEY = MapSimulation.KEY;
    private static final long LAST = Bucket.settled(Bucket.READY, (1 << 28) - 1);
    private static final int OWNER = 0;

    private final Bucket bucket = DistributedMapSimulation.bucket(LONG, LONG);

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void theVersionAfterTheLastOneIsZero(Guarantees guarantees) {
        Participant self = MapWorld.participant(new Simulation(1, MapWorld.options(guarantees)).rank(1));
        Blocks blocks = MapWorld.fixedBlocks();
        MapClient client = DistributedMapSimulation.client(LONG, LONG, self, blocks, DistributedMapSimulation.RIGHT);
        client.perform(MapOperation.put(KEY, 1));
        long block = blocks.first(OWNER);
        long home = blocks.offset(OWNER, block, Block.home(block, FixedHash.of(KEY)), bucket.size);
        placeLast(self, home);
        assertThat(client.perform(new MapOperation(Kind.GET_AND_PUT, KEY, 8))).isEqualTo(7);
        assertThat(self.endpoint().readWord(OWNER, home)).isEqualTo(Bucket.settled(Bucket.READY, 0));
        assertThat(client.perform(MapOperation.find(KEY))).isEqualTo(8);
        placeLast(self, home);
        assertThat(client.perform(new MapOperation(Kind.REMOVE, KEY, 0))).isEqualTo(7);
        assertThat(self.endpoint().readWord(OWNER, home)).isEqualTo(Bucket.settled(Bucket.TOMBSTONE, 0));
    }

    private void placeLast(Participant self, long home) {
        self.endpoint().writeWord(OWNER, home + bucket.place(LAST), 7);
        self.endpoint().writeWord(OWNER, home, LAST);
        self.endpoint().flush(OWNER);
    }

    private static final class WhereTheOwnerDecides implements Runnable {

        @Override
        public void run() {
            new LastVersionTest().theVersionAfterTheLastOneIsZero(EVERY_FABRIC.getLast());
        }
    }

    @Test
    void aSearchThatFindsTheLastVersionIsFound() {
        assertThatThrownBy(() -> new Patch(BucketSearcher.class)
                .replace("Bucket.LAST_BUT_ONE_VERSION", "Bucket.VERSION_BITS")
                .run(WhereTheOwnerDecides.class)).isInstanceOf(AssertionError.class);
    }
}
