package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import java.util.List;

/** A {@link BloomFilter} for even keys, and a {@link LongBloomFilter} for odd ones. */
final class FilterWorkload extends Workload {

    private List<BloomFilter<Long>> filters = List.of();
    private List<LongBloomFilter> longFilters = List.of();

    FilterWorkload(Scene scene, int thread) {
        super(scene, Structure.FILTER, thread);
    }

    @Override
    protected void open() {
        filters = List.of(filter(), filter());
        longFilters = List.of(longFilter(), longFilter());
    }

    private BloomFilter<Long> filter() {
        return scene.world.filter("filter", Long.class).expectedElements(20_000).open();
    }

    private LongBloomFilter longFilter() {
        return scene.world.longFilter("long-filter").expectedElements(20_000).open();
    }

    @Override
    protected void step() throws Exception {
        long key = key();
        boolean ofLongs = key % 2 != 0;
        BloomFilter<Long> filter = filters.get(handle());
        LongBloomFilter longFilter = longFilters.get(handle());
        if (random.nextInt(3) == 0) {
            record(Verb.ADD, key, 0, 0, () -> bit(ofLongs ? longFilter.add(key) : filter.add(key)));
        } else {
            record(Verb.CONTAINS, key, 0, 0,
                    () -> bit(ofLongs ? longFilter.mightContain(key) : filter.mightContain(key)));
        }
    }
}
