package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.background.BackgroundThread;
import io.atoll.spring.state.ViewChangedEvent;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldStates;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes the view of the world by which this process acts, each time it has changed; see {@link ViewChangedEvent}.
 */
class ViewEvents implements AutoCloseable {

    private final World world;
    private final WorldStates worldStates;
    private final ApplicationEventPublisher publisher;
    private final BackgroundThread thread;
    private long told; // the number of the last published view; only the thread uses it

    ViewEvents(World world, WorldStates worldStates, ApplicationEventPublisher publisher) {
        this.world = world;
        this.worldStates = worldStates;
        this.publisher = publisher;
        this.thread = world.background()
                .add(new BackgroundThread("atoll-view-events-" + world.name() + "-" + world.rank(), this::publish));
        world.whenViewChanges(thread::wake);
        if (worldStates.view().decided()) {
            thread.wake(); // there may be a view already
        }
    }

    private long publish() {
        ViewState view = worldStates.view();
        if (view.number() != told) {
            told = view.number();
            publisher.publishEvent(new ViewChangedEvent(world.name(), world.rank(), view));
        }
        return BackgroundThread.UNTIL_WOKEN;
    }

    @Override
    public void close() {
        thread.close();
    }
}
