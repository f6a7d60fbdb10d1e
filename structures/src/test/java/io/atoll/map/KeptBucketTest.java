package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Wrapper;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A bucket is reserved, and kept for a function, when an error strikes its thread, or when the connection breaks. */
class KeptBucketTest {

    private static final Codec<Long> WORDS = Codecs.forType(Long.class);
    private static final Bucket BUCKET = DistributedMapSimulation.bucket(WORDS, WORDS);
    private static final long KEY = GrowingWorld.KEYS.getFirst();
    private static final int OWNER = KeyHash.rank(FixedHash.of(KEY), MapWorld.RANKS);
    private static final List<Guarantees> FABRICS = List.of(SimOptions.TCP, SimOptions.NETWORK_CARD);
    private static final List<Kind> COMPUTING = List.of(Kind.INCREMENT, Kind.COMPUTE, Kind.COMPUTE_IF_ABSENT);
    private static final RankUnreachableException GONE = new RankUnreachableException("it is gone", "read", OWNER, 0);

    /** Calls by which a thread takes the answers of a batch. */
    private static final Set<String> ANSWERS = Set.of("result", "succeeded", "displacement", "word");

    private int left; // calls until the one that is struck; 0 if none is
    private int broken; // batches until the one whose answers are lost; 0 if none is

    private Participant self(Fabric direct) {
        return Participants.amongTheLiving(Wrapper.around(direct, Fabric.class,
                call -> call.isOf("batch") ? struck(direct.batch()) : call.proceed()));
    }

    private Batch struck(Batch batch) {
        return Wrapper.around(batch, Batch.class, call -> {
            if (ANSWERS.contains(call.name()) && left > 0 && --left == 0) {
                throw new StackOverflowError("injected");
            }
            Object answer = call.proceed();
            if (call.isOf("complete") && broken > 0 && --broken == 0) {
                throw GONE;
            }
            return answer;
        });
    }

    private static Fabric direct(Guarantees guarantees) {
        return new Simulation(1, GrowingWorld.options(guarantees).unmapped()).fabric(1);
    }

    private static MapOperation put(long value) {
        return MapOperation.put(KEY, value);
    }

    /** A thread takes the answers of a batch, and an error strikes it at each of them in turn. */
    @ParameterizedTest
    @FieldSource("FABRICS")
    void anErrorBetweenReservingABucketAndAskingTheFunctionLeavesNothingReserved(Guarantees guarantees) {
        Participant self = self(direct(guarantees));
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, MapWorld.fixedBlocks(),
                DistributedMapSimulation.RIGHT);
        for (Kind kind : COMPUTING) {
            for (boolean isNew : List.of(true, false)) {
                boolean isStruck = true;
                for (int answer = 1; isStruck; answer++) {
                    client.perform(isNew ? new MapOperation(Kind.REMOVE, KEY, 0) : put(2));
                    left = answer;
                    isStruck = isStruck(client, new MapOperation(kind, KEY, 13));
                    left = 0;
                    String what = kind + " answer " + answer;
                    self.reservations().retryAll();
                    assertThat(self.reservations().inDoubt()).as(what).isZero();
                    client.perform(put(3));
                    assertThat(client.perform(MapOperation.find(KEY))).as(what).isEqualTo(3);
                }
            }
        }
    }

    private static boolean isStruck(MapClient client, MapOperation operation) {
        try {
            client.perform(operation);
            return false;
        } catch (StackOverflowError struck) {
            return true;
        }
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aBucketThatIsNamedWhenTheConnectionBreaksCountsAsTaken(Guarantees guarantees) {
        Fabric direct = direct(guarantees);
        Participant self = self(direct);
        GrowingBlocks blocks = GrowingWorld.blocks(self, BUCKET.size);
        MapClient client = DistributedMapSimulation.client(WORDS, WORDS, self, blocks,
                DistributedMapSimulation.RIGHT);
        assertThat(client.perform(MapOperation.find(KEY))).isEqualTo(MapOperation.NONE);
        broken = guarantees == SimOptions.TCP ? 1 : 2; // where the owner does not decide, the home is read before
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> client.perform(new MapOperation(Kind.COMPUTE_IF_ABSENT, KEY, 13)));
        self.reservations().retryAll();
        long block = block(blocks);
        long home = Block.offset(block) + Block.home(block, FixedHash.of(KEY)) * BUCKET.size;
        assertThat(direct.readWord(OWNER, home)).isEqualTo(Bucket.settled(Bucket.NAMED, 0));
        assertThat(direct.readWord(OWNER, BlockHead.of(block) + BlockHead.COUNTS)).isEqualTo(Blocks.CLAIMED);
        client.perform(put(3));
        assertThat(direct.readWord(OWNER, BlockHead.of(block) + BlockHead.COUNTS)).isEqualTo(Blocks.ADDED);
    }

    private static long block(Blocks blocks) {
        Token token = blocks.begin();
        try {
            return blocks.first(OWNER);
        } finally {
            blocks.end(token);
        }
    }
}
