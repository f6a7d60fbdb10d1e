package io.atoll.app.node;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Lets a node answer for a while after it was told to end. The node is not ready during this time. Load balancers need
 * about that long to learn it, and then send no more requests when the node stops answering.
 */
@Component
final class StopDelay implements SmartLifecycle {

    private final Duration delay;
    private volatile boolean running;

    StopDelay(@Value("${node.stop-delay}") Duration delay) {
        this.delay = delay;
    }

    @Override
    public void start() {
        running = true;
    }

    /** Spring Boot has already published that the application refuses traffic. */
    @Override
    public void stop() {
        running = false;
        try {
            Thread.sleep(delay);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before everything else, even before web servers. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
