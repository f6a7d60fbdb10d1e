package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.filter.LongBloomFilter;
import java.util.random.RandomGenerator;

/**
 * Adds elements until the filter holds as many as it is made for. Then rank 0 clears it. Rank 0 goes by the number of
 * elements that it has added itself.
 */
final class FilterLoad implements Load {

    private static final int ELEMENTS = 4_096;
    private static final int ADDED = 6;

    private final LongBloomFilter seen;
    private final boolean clears;
    private final int ownElements;
    private int added;

    FilterLoad(World world) {
        this.seen = open(world);
        this.clears = world.rank() == 0;
        this.ownElements = ELEMENTS / world.size();
    }

    static LongBloomFilter open(World world) {
        return world.longFilter("demo-seen").expectedElements(ELEMENTS).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        for (int element = 0; element < ADDED; element++) {
            seen.add(random.nextLong());
        }
        seen.mightContain(random.nextLong());
        added += ADDED;
        if (clears && added >= ownElements) {
            seen.clear();
            added = 0;
        }
    }
}
