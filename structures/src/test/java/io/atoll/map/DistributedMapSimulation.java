package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.List;

/** Maps with keys and values of one word or more. */
abstract class DistributedMapSimulation extends MapSimulation {

    static final List<Kind> KINDS = List.of(Kind.values());

    private final WideCodec keys;
    private final WideCodec values;

    DistributedMapSimulation(WideCodec keys, WideCodec values) {
        this.keys = keys;
        this.values = values;
    }

    @Override
    List<Kind> kinds() {
        return KINDS;
    }

    @Override
    MapClient open(Participant participant, Runnable between) {
        return client(keys, values, participant, (name, self, placement, bucket, blocks) -> new BucketTable(name, self,
                placement, bucket, blocks) {
            @Override
            void fill(Batch batch, int owner, long index) {
                between.run();
                super.fill(batch, owner, index);
            }

            @Override
            void update(Batch batch, int owner, long index, long state) {
                between.run();
                super.update(batch, owner, index, state);
            }
        });
    }

    /** A table, or one with something else in it. */
    interface Tables {
        BucketTable open(String name, Participant participant, Placement placement, Bucket bucket, long[] blocks);
    }

    static MapClient client(WideCodec keys, WideCodec values, Participant participant, Tables tables) {
        var bucket = new Bucket(keys.bytes(), values.bytes());
        BucketTable table = tables.open("map", participant, MapWorld.PLACEMENT, bucket, MapWorld.blocks());
        var entries = new InlineEntries<>(table, keys, values, Long::longValue);
        return MapClient.of(new DistributedMap<>("map", new Handle<>(() -> entries)));
    }
}
