package io.atoll.spring.actuate;

import io.atoll.background.BackgroundThread;
import io.atoll.spring.state.LastEpochs;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of the world:
 * <ul>
 * <li>Up when every rank is present.
 * <li>Out of service until all ranks have joined for the first time. Also while this process joins again, after the
 * others had removed it. The detail {@code world} says what it waits for.
 * <li>Down when a rank that had joined is gone or does not answer: the content of its segment cannot be reached. Also
 * when this process itself must not take part any more. Also while a background thread of the world cannot do its work.
 * </ul>
 *
 * <p>Waits for no other rank: the details of other ranks are those of the last look, with their age. Costs no verb
 * where the own memory may be read directly.
 */
public final class WorldHealthIndicator extends AbstractHealthIndicator {

    private final WorldStates worldStates;

    public WorldHealthIndicator(WorldStates worldStates) {
        super("the state of the world cannot be read");
        this.worldStates = worldStates;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        WorldState world = worldStates.world();
        Map<Integer, String> silent = silent();
        List<BackgroundThread.Trouble> troubles = worldStates.troubles();
        LastEpochs epochs = worldStates.lastEpochs();
        // Ranks that do not answer are a reason to be down, but broken connections are not. A connection is made again
        // only when it is used. A process that gets no requests because it is down would stay down.
        worldStates.connections().ifPresent(connections -> health.withDetail("connections", connections));
        // Connections go on with the previous certificates, so this is no reason to be down.
        worldStates.refusedReload().ifPresent(refused -> health.withDetail("refusedReload", refused));
        boolean isWell = world.rejoining() != null || silent.isEmpty() && troubles.isEmpty();
        health.status(isWell ? status(world) : Status.DOWN)
                .withDetail("world", world)
                .withDetail("view", worldStates.view())
                .withDetail("fabric", worldStates.fabric().type())
                .withDetail("incarnations", incarnations())
                .withDetail("silent", silent)
                .withDetail("troubles", troubles)
                .withDetail("segment", worldStates.segment(world.rank()))
                // Warnings are no reason to be down. That would take a working rank from its users.
                .withDetail("warnings", worldStates.warnings())
                // These tokens only keep objects from being freed, so they are no reason to be down.
                .withDetail("pinnedTooLong", worldStates.pinnedTooLong(epochs))
                .withDetail("stranded", epochs.state().stranded())
                .withDetail("lostObjects", epochs.state().lost())
                .withDetail("epochs", look(epochs));
    }

    /** Returns how old the details about epochs are, and which ranks do not answer. */
    private static Map<String, Object> look(LastEpochs epochs) {
        Map<String, Object> look = new LinkedHashMap<>();
        if (epochs.ageMillis() != null) {
            look.put("ageMillis", epochs.ageMillis());
        }
        look.put("unread", epochs.unread());
        if (epochs.overdue() != null) {
            look.put("overdue", epochs.overdue());
        }
        return look;
    }

    private static Status status(WorldState world) {
        if (world.rejoining() != null) {
            return Status.OUT_OF_SERVICE;
        }
        if (world.refusal() != null || !world.lost().isEmpty()) {
            return Status.DOWN;
        }
        return world.whole() ? Status.UP : Status.OUT_OF_SERVICE;
    }

    /** Returns the ranks that had joined and do not answer, each with the consequences. */
    private Map<Integer, String> silent() {
        Map<Integer, String> silent = new TreeMap<>();
        for (Peer peer : worldStates.ranks()) {
            if (peer.status() == PeerStatus.JOINED && peer.refusal() != null) {
                silent.put(peer.rank(), peer.refusal());
            }
        }
        return silent;
    }

    /** Returns the incarnations of all ranks that were ever met. */
    private Map<Integer, Integer> incarnations() {
        Map<Integer, Integer> incarnations = new TreeMap<>();
        for (Peer peer : worldStates.ranks()) {
            if (peer.incarnation() > 0) {
                incarnations.put(peer.rank(), peer.incarnation());
            }
        }
        return incarnations;
    }
}
