package io.atoll.map;

import io.atoll.map.block.Blocks;
import io.atoll.promise.Promise;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.util.List;

/** A table of longs whose users' promises are watched over. */
final class WatchedLongTable extends LongTable {

    private final PromiseWatch watch;

    WatchedLongTable(String name, Participant participant, Blocks blocks) {
        super(name, participant, blocks);
        this.watch = PromiseWatch.open(participant, name, List.of(LongLongMap.class), MapUse.values());
    }

    @Override
    long find(long key, long otherwise) {
        watch.enter(MapUse.FIND);
        return super.find(key, otherwise);
    }

    @Override
    long find(long key, long otherwise, Promise.Finding promise) {
        watch.enter(MapUse.find(promise));
        return promise == Promise.local() ? super.find(key, otherwise, promise) : super.find(key, otherwise);
    }

    @Override
    long[] words(long[] keys) {
        watch.enter(MapUse.FIND);
        return super.words(keys);
    }

    @Override
    boolean insert(long key, long value) {
        watch.enter(MapUse.INSERT);
        return super.insert(key, value);
    }

    @Override
    boolean insert(long key, long value, Promise.Inserting promise) {
        watch.enter(MapUse.insert(promise));
        return promise == Promise.local() ? super.insert(key, value, promise) : super.insert(key, value);
    }

    @Override
    boolean put(long key, long value) {
        watch.enter(MapUse.CHANGE);
        return super.put(key, value);
    }

    @Override
    boolean compareAndSet(long key, long expected, long value) {
        watch.enter(MapUse.CHANGE);
        return super.compareAndSet(key, expected, value);
    }

    @Override
    long remove(long key, long otherwise) {
        watch.enter(MapUse.CHANGE);
        return super.remove(key, otherwise);
    }

    @Override
    long increment(long key, long delta) {
        watch.enter(MapUse.CHANGE);
        return super.increment(key, delta);
    }

    @Override
    void forEach(int owner, LongLongMap.Visitor visitor) {
        watch.enter(MapUse.FIND);
        super.forEach(owner, visitor);
    }
}
