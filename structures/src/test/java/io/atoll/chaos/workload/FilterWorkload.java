package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.filter.BloomFilter;
import java.util.List;

/** A {@link BloomFilter}. */
final class FilterWorkload extends Workload {

    private List<BloomFilter<Long>> filters = List.of();

    FilterWorkload(Scene scene, int thread) {
        super(scene, Structure.FILTER, thread);
    }

    @Override
    protected void open() {
        filters = List.of(filter(), filter());
    }

    private BloomFilter<Long> filter() {
        return scene.world.filter("filter", Long.class).expectedElements(20_000).open();
    }

    @Override
    protected void step() throws Exception {
        BloomFilter<Long> filter = filters.get(handle());
        long key = key();
        if (random.nextInt(3) == 0) {
            record(Verb.ADD, key, 0, 0, () -> bit(filter.add(key)));
        } else {
            record(Verb.CONTAINS, key, 0, 0, () -> bit(filter.mightContain(key)));
        }
    }
}
