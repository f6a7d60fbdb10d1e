package io.atoll.peers;

import io.atoll.World;
import io.atoll.map.DistributedMap;
import io.atoll.queue.CircularQueue;
import java.util.Objects;

/** A map and a queue of objects, in the segment of the other rank. */
final class AtollObjects implements Subject {

    static final String MAP = "DistributedMap";
    static final String QUEUE = "CircularQueue";

    private final DistributedMap<Long, Long> map;
    private final CircularQueue<Long> queue;
    private final Keys keys;

    AtollObjects(World world) {
        this.map = world.map(Worlds.MAP + "-of-objects", Long.class, Long.class).capacity(Worlds.CAPACITY).open();
        this.queue = world.queue(Worlds.QUEUE + "-of-objects", Long.class).capacity(Keys.A_TURN).host(1).open();
        this.keys = new Keys(key -> map.owner(key) == 1);
        keys.kept().forEach(key -> map.put(key, 7L));
    }

    @Override
    public Rounds.Operation operation(Work work) {
        return switch (work) {
            case GET -> index -> Subject.require(map.get(keys.kept(index)) != null);
            case INSERT -> index -> Subject.require(map.putIfAbsent(keys.passing(index), (long) index));
            case PUT -> index -> Subject.require(!map.put(keys.kept(index), (long) index));
            case INCREMENT -> index -> Subject.require(map.merge(keys.kept(index), 1L, Long::sum) != null);
            case REMOVE -> index -> Subject.require(map.remove(keys.passing(index)));
            case PUSH -> index -> Subject.require(queue.push((long) index));
            case POP -> index -> Subject.require(Objects.equals(queue.pop(), (long) index));
            case GET_ALL_16, GET_ALL_256 -> keys.getAll(work, map::getAll);
            case PUT_ALL_16, PUT_ALL_256 -> keys.putAll(work, map::putAll);
        };
    }
}
