package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@Tag("simulation")
class LongLongMapSimulationTest extends MapSimulation {

    @Override
    protected List<Kind> kinds() {
        return MapOperation.OF_LONG_MAPS;
    }

    @Override
    protected MapClient open(Participant participant, Runnable between) {
        var writer = new LongWriter("map", participant, reader(participant)) {
            @Override
            void publish(int owner, long bucket, long key, long value) {
                between.run();
                super.publish(owner, bucket, key, value);
            }

            @Override
            void write(Batch batch, long position, int owner, long bucket, long key, long value) {
                between.run();
                super.write(batch, position, owner, bucket, key, value);
            }
        };
        return MapClient.of(new LongTable(writer, LongMover::new, null));
    }

    private static LongReader reader(Participant participant) {
        return new LongReader(participant.endpoint(), MapWorld.fixedBlocks(), new KeyHash(participant.seed()));
    }

    /**
     * Rank 1 dies when it has written its key and not its value. The others insert another key there, and look for the
     * first one.
     */
    static Seeds.Trial deathOfAnInserter(Guarantees guarantees, Function<Participant, LongTable> open) {
        return seed -> Simulation.run(seed, MapWorld.options(guarantees).killAt(1, 50), rank -> {
            Participant participant = MapWorld.participant(rank);
            LongTable table = rank.rank() == 1
                    ? new LongTable(new WritesItsKeyOnly(participant), LongMover::new, null)
                    : open.apply(participant);
            if (rank.rank() != 0) {
                table.insert(rank.rank() == 1 ? KEY : OTHER_KEY, rank.rank());
                return;
            }
            while (table.find(OTHER_KEY, 0) != 2) {
                assertThat(table.find(KEY, 0)).as("key=" + KEY).isZero();
            }
        });
    }

    private static final class WritesItsKeyOnly extends LongWriter {

        WritesItsKeyOnly(Participant participant) {
            super("map", participant, reader(participant));
        }

        @Override
        void publish(int owner, long bucket, long key, long value) {
            Endpoint endpoint = reader.endpoint;
            endpoint.writeWord(owner, bucket + LongBucket.KEY, key);
            endpoint.flush(owner);
            waitForDeath();
        }

        @Override
        void write(Batch batch, long position, int owner, long bucket, long key, long value) {
            batch.writeWord(owner, bucket + LongBucket.KEY, key);
            batch.complete();
            waitForDeath();
        }

        private void waitForDeath() {
            var backoff = new Backoff(reader.endpoint.clock(), Backoff.UNBOUNDED);
            while (true) {
                backoff.pause();
            }
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aKeyWhoseInserterDiedIsNotFoundWithTheValueOfAnother(Guarantees guarantees) {
        Seeds.each(SEEDS / 10, deathOfAnInserter(guarantees, participant -> new LongTable("map",
                participant, MapWorld.fixedBlocks(), null)));
    }

    /**
     * A rank changes two keys of one home by turns. The others look for the key that is changed last, which lies beyond
     * its home, and then for the other one.
     */
    static Seeds.Trial replacingTwoOfOneHome() {
        return seed -> Simulation.run(seed, MapWorld.pausing(SimOptions.SHARED_MEMORY), rank -> {
            Participant participant = MapWorld.participant(rank);
            var table = new LongTable("map", participant, MapWorld.fixedBlocks(), null);
            for (long step = 1; step <= 8; step++) {
                if (rank.rank() == 1) {
                    table.put(KEY, step);
                    table.put(OTHER_KEY, step);
                } else {
                    long last = table.find(OTHER_KEY, 0);
                    assertThat(table.find(KEY, 0)).as("key=%d", KEY).isGreaterThanOrEqualTo(last);
                }
            }
        });
    }

    @Test
    void aFindThatFollowsAnotherOneFindsWhatWasThereByThen() {
        Seeds.each(SEEDS, replacingTwoOfOneHome());
    }
}
