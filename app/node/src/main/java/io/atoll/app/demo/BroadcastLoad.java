package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.collective.Broadcast;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;

/** Rank 0 sends news to all other ranks, which see how many have arrived. */
final class BroadcastLoad implements Load {

    private static final int ROOT = 0;
    private static final int WORDS = 128;
    private static final long BYTES = WORDS * (long) Long.BYTES;

    private final Broadcast news;
    private final boolean sends;

    BroadcastLoad(World world) {
        this.news = world.collectives().broadcast("demo-news").bytes(BYTES).openLazily();
        this.sends = world.rank() == ROOT;
    }

    @Override
    public void step(RandomGenerator random) {
        if (sends) {
            news.write(0, MemorySegment.ofArray(random.longs(WORDS).toArray()));
            news.send(0, BYTES);
            news.flush();
        } else {
            news.received(ROOT);
        }
    }
}
