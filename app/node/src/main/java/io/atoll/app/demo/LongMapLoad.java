package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.map.LongLongMap;
import java.util.random.RandomGenerator;

/**
 * Counts visits of a fixed number of pages, and removes a page now and then. Some pages are visited far more often than
 * others.
 */
final class LongMapLoad implements Load {

    private static final int PAGES = 2_048;
    private static final int VISITS = 6;

    private final LongLongMap visits;

    LongMapLoad(World world) {
        this.visits = open(world);
    }

    static LongLongMap open(World world) {
        return world.longMap("demo-visits").capacity(PAGES).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        for (int visit = 0; visit < VISITS; visit++) {
            visits.addAndGet(random.nextInt(1 + random.nextInt(PAGES)), 1);
        }
        int page = random.nextInt(PAGES);
        visits.getOrDefault(page, 0);
        visits.getAndRemove(page, 0);
    }
}
