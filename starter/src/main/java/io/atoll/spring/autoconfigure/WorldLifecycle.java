package io.atoll.spring.autoconfigure;

import io.atoll.World;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Takes part in the world from the start of the context on, before web servers and listeners run, even where beans are lazy: the other ranks wait for
 * this one's segment. Does not wait for them.
 *
 * <p>Stopping a context leaves the segment where it is, since others use it without running code here. The world ends with its bean, after all
 * beans that hold its structures.
 */
class WorldLifecycle implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(WorldLifecycle.class);

    private final World world;
    private volatile boolean running;

    WorldLifecycle(World world) {
        this.world = world;
    }

    @Override
    public void start() {
        running = true;
        List<Integer> missing = world.peers().missing();
        LOG.info("takes part: world={} rank={} size={} incarnation={} missing={}", world.name(), world.rank(),
                world.size(), world.incarnation(), missing);
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before everything that might use a structure when it starts. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
