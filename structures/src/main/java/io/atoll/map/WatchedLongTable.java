package io.atoll.map;

import io.atoll.promise.Promise;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;

/** A table of longs that watches over the promises of its users. */
final class WatchedLongTable extends LongTable {

    private final PromiseWatch watch;

    public WatchedLongTable(String name, Participant participant, Blocks blocks, PromiseWatch watch) {
        super(name, participant, blocks);
        this.watch = watch;
    }

    @Override
    public long find(long key, long otherwise) {
        watch.enter(MapUse.FIND);
        return super.find(key, otherwise);
    }

    @Override
    public long find(long key, long otherwise, Promise.Finding promise) {
        watch.enter(MapUse.find(promise));
        return promise == Promise.local() ? super.find(key, otherwise, promise) : super.find(key, otherwise);
    }

    @Override
    public long[] words(long[] keys) {
        watch.enter(MapUse.FIND);
        return super.words(keys);
    }

    @Override
    public boolean insert(long key, long value) {
        watch.enter(MapUse.INSERT);
        return super.insert(key, value);
    }

    @Override
    public boolean insert(long key, long value, Promise.Inserting promise) {
        watch.enter(MapUse.insert(promise));
        return promise == Promise.local() ? super.insert(key, value, promise) : super.insert(key, value);
    }

    @Override
    public boolean put(long key, long value) {
        watch.enter(MapUse.CHANGE);
        return super.put(key, value);
    }

    @Override
    public boolean compareAndSet(long key, long expected, long value) {
        watch.enter(MapUse.CHANGE);
        return super.compareAndSet(key, expected, value);
    }

    @Override
    public long remove(long key, long otherwise) {
        watch.enter(MapUse.CHANGE);
        return super.remove(key, otherwise);
    }

    @Override
    public long increment(long key, long delta) {
        watch.enter(MapUse.CHANGE);
        return super.increment(key, delta);
    }

    @Override
    public void forEach(int owner, LongVisitor visitor) {
        watch.enter(MapUse.FIND);
        super.forEach(owner, visitor);
    }

    @Override
    public long forEach(int owner, long from, Stretch stretch, LongVisitor visitor) {
        watch.enter(MapUse.FIND);
        return super.forEach(owner, from, stretch, visitor);
    }
}
