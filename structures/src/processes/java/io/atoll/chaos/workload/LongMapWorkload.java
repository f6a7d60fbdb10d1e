package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.map.LongLongMap;
import java.util.List;

/** A {@link LongLongMap} that grows. */
final class LongMapWorkload extends RegisterWorkload {

    private LongLongMap[] maps = {};

    LongMapWorkload(Scene scene, int thread) {
        super(scene, Structure.LONG_MAP, thread,
                List.of(Verb.FIND, Verb.FIND, Verb.PUT, Verb.INSERT, Verb.GET_AND_PUT, Verb.INCREMENT, Verb.INCREMENT,
                        Verb.COMPARE_AND_SET, Verb.REMOVE));
    }

    @Override
    protected void open() {
        maps = new LongLongMap[]{map(), map()};
    }

    private LongLongMap map() {
        return scene.world.longMap("long-map").capacity(64).open();
    }

    @Override
    protected void step() throws Exception {
        switch (random.nextInt(80)) {
            case 0, 1 -> findAll();
            case 2 -> visit();
            case 3 -> putAll();
            default -> super.step();
        }
    }

    private void findAll() throws Exception {
        List<Long> keys = currentKeys(8);
        recordAll(keys.stream().map(key -> new Part(Verb.FIND, key, 0, 0)).toList(), () -> maps[handle()]
                .getAll(keys.stream().mapToLong(Long::longValue).toArray(), Entry.ABSENT));
    }

    private void putAll() throws Exception {
        List<Part> parts = currentKeys(8).stream().map(key -> new Part(Verb.SET, key, value(), 0)).toList();
        recordAll(parts, () -> {
            maps[handle()].putAll(parts.stream().mapToLong(Part::key).toArray(),
                    parts.stream().mapToLong(Part::argument).toArray());
            return new long[parts.size()];
        });
    }

    private void visit() throws Exception {
        long called = System.nanoTime();
        record(Verb.OPEN, 1, 0, 0, () -> {
            maps[handle()].forEach((key, value) -> {
                if (isCurrent(key)) {
                    noteSince(called, Verb.FIND, key, value);
                }
            });
            return 0;
        });
    }

    @Override
    long apply(Verb verb, long key, long argument, long second) {
        LongLongMap map = maps[handle()];
        return switch (verb) {
            case FIND -> map.getOrDefault(key, Entry.ABSENT);
            case PUT -> bit(map.put(key, argument));
            case INSERT -> bit(map.putIfAbsent(key, argument));
            case GET_AND_PUT -> map.getAndPut(key, argument, Entry.ABSENT);
            case INCREMENT -> map.addAndGet(key, argument);
            case COMPARE_AND_SET -> bit(map.replace(key, argument, second));
            default -> map.getAndRemove(key, Entry.ABSENT);
        };
    }
}
