package io.atoll.peers;

import io.atoll.World;
import io.atoll.map.LongLongMap;
import io.atoll.queue.LongCircularQueue;
import java.util.Arrays;

/** A map and a queue of words, in the segment of the other rank. */
final class AtollLongs implements Subject {

    static final String MAP = "LongLongMap";
    static final String QUEUE = "LongCircularQueue";
    private static final long ABSENT = -1;

    private final LongLongMap map;
    private final LongCircularQueue queue;
    private final Keys keys;

    AtollLongs(World world) {
        this.map = world.longMap(Worlds.MAP).capacity(Worlds.CAPACITY).open();
        this.queue = world.longQueue(Worlds.QUEUE).capacity(Keys.A_TURN).host(1).open();
        this.keys = new Keys(key -> map.owner(key) == 1);
        keys.kept().forEach(key -> map.put(key, 7));
    }

    @Override
    public Rounds.Operation operation(Work work) {
        return switch (work) {
            case GET -> index -> Subject.require(map.getOrDefault(keys.kept(index), ABSENT) != ABSENT);
            case INSERT -> index -> Subject.require(map.putIfAbsent(keys.passing(index), index));
            case PUT -> index -> Subject.require(!map.put(keys.kept(index), index));
            case INCREMENT -> index -> Subject.require(map.addAndGet(keys.kept(index), 1) != ABSENT);
            case REMOVE -> index -> Subject.require(map.getAndRemove(keys.passing(index), ABSENT) == index);
            case PUSH -> index -> Subject.require(queue.push(index));
            case POP -> index -> Subject.require(queue.pop(ABSENT) == index);
            case GET_ALL_16, GET_ALL_256 -> keys.groups(work.keys(), this::getAll);
            case PUT_ALL_16, PUT_ALL_256 -> keys.groups(work.keys(), this::putAll);
        };
    }

    private void getAll(long[] group, long ignored) {
        Subject.require(map.getAll(group, ABSENT)[group.length - 1] != ABSENT);
    }

    private void putAll(long[] group, long value) {
        long[] values = new long[group.length];
        Arrays.fill(values, value);
        map.putAll(group, values);
    }
}
