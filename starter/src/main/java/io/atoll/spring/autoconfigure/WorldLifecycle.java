package io.atoll.spring.autoconfigure;

import io.atoll.World;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Joins the world when the context starts, before web servers and listeners run, even where beans are lazy: the other
 * ranks wait for this rank's segment. Does not wait for the other ranks.
 *
 * <p>A stopped context leaves the segment in place, since other ranks use it without running code here. The world
 * closes when its bean is destroyed, after all beans that hold its structures.
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

    /** Starts before every bean that might use a structure when it starts. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
