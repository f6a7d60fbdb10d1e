package io.atoll.spring.actuate;

import io.atoll.World;
import io.atoll.view.View;
import io.atoll.view.Views;
import io.atoll.world.Peers.PeerStatus;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;

/**
 * The readiness of an application whose structures can be used only when every rank has joined. It refuses traffic
 * until then. It also refuses traffic as long as a decision waits for electors that do not answer: this process is on a
 * side without a quorum. And it does so while no view has this process as a member. Then no rank counts on its memory,
 * and the next process must not be restarted.
 *
 * <p>It refuses traffic at no other time. If a lost rank made all others unready, one restart would take the whole
 * application out of service. Only some parts of it need this rank. Health says that the rank is lost.
 */
public class WorldReadinessStateHealthIndicator extends ReadinessStateHealthIndicator {

    private final World world;

    public WorldReadinessStateHealthIndicator(ApplicationAvailability availability, World world) {
        super(availability);
        this.world = world;
    }

    /** In a world that this process has joined again, all ranks were present before. */
    private boolean isWaiting() {
        boolean isMissed = world.rejoins() == 0
                && world.peers().snapshot().stream().anyMatch(peer -> peer.status() == PeerStatus.MISSING);
        return isMissed || world.rejoining().isPresent()
                || world.inspection().views().filter(this::keepsOut).isPresent();
    }

    private boolean keepsOut(Views.Status status) {
        View view = status.view();
        return status.waiting().isPresent() || view == null || !view.isMember(world.rank(), world.incarnation());
    }

    @Override
    protected AvailabilityState getState(ApplicationAvailability availability) {
        return isWaiting() ? ReadinessState.REFUSING_TRAFFIC : super.getState(availability);
    }
}
