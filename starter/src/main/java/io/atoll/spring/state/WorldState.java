package io.atoll.spring.state;

import io.atoll.World;
import io.atoll.failure.JoinRefusedException;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import io.atoll.world.Waits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The world as the answering rank sees it.
 *
 * @param size the number of its ranks
 * @param rank the answering rank
 * @param incarnation how often the answering rank has been started, or has joined again, from 1
 * @param whole true if every rank has joined, so that structures can be used
 * @param joined the number of ranks that have joined
 * @param missing the first ranks that have not joined yet, at most {@value #NAMED}
 * @param lost the first ranks that had joined and are gone, at most {@value #NAMED}
 * @param joins how often another rank has joined since this rank has
 * @param losses how often a rank that had joined has left or died
 * @param repairs how often this rank has repaired an operation that a dead rank had left unfinished
 * @param waits what threads of this rank wait for, the longest first, at most {@value #NAMED}
 * @param refusal why this rank must not take part any more; null if it may
 * @param rejoining how this rank joins again by itself after the others have removed it; null if it does not
 * @param rejoins how often it has joined again
 */
public record WorldState(String name, int size, int rank, int incarnation, boolean whole, int joined,
        List<Integer> missing, List<Integer> lost, long joins, long losses, long repairs, List<Wait> waits,
        @Nullable String refusal, @Nullable Rejoin rejoining, long rejoins) {

    private static final int NAMED = 64;

    /**
     * @param thread the thread that waits
     * @param doing what it waits with, in words
     * @param rank the rank that should act
     * @param waitedMillis how long it has waited
     */
    public record Wait(String thread, String doing, int rank, long waitedMillis) {

        static Wait of(Waits.Wait wait) {
            return new Wait(wait.thread(), wait.doing(), wait.rank(), wait.waited().toMillis());
        }
    }

    /**
     * @param removal why the others have removed the rank
     * @param sinceMillis how long ago the rank has learnt of that
     * @param waitsFor what has to come before it takes part again, in words
     */
    public record Rejoin(String removal, long sinceMillis, String waitsFor) {

        static Rejoin of(World.Rejoining rejoining) {
            return new Rejoin(String.valueOf(rejoining.removal().getMessage()), rejoining.since().toMillis(),
                    rejoining.waitsFor());
        }
    }

    static WorldState of(World world) {
        List<Peer> peers = world.peers().snapshot();
        int joined = (int) peers.stream().filter(peer -> peer.status() == PeerStatus.JOINED).count();
        return new WorldState(world.name(), world.size(), world.rank(), world.incarnation(), joined == world.size(),
                joined, named(peers, PeerStatus.MISSING), named(peers, PeerStatus.LOST), world.peers().joins(),
                world.peers().losses(), world.inspection().repairs(),
                world.waits().stream().limit(NAMED).map(Wait::of).toList(),
                world.refusal().map(JoinRefusedException::getMessage).orElse(null),
                world.rejoining().map(Rejoin::of).orElse(null), world.rejoins());
    }

    private static List<Integer> named(List<Peer> peers, PeerStatus standing) {
        return peers.stream().filter(peer -> peer.status() == standing).map(Peer::rank).limit(NAMED).toList();
    }
}
