package io.atoll.admin.api;

import io.atoll.World;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.Standing;
import java.util.List;

/**
 * The world as the answering rank sees it.
 *
 * @param size how many ranks it has
 * @param rank the one that answers
 * @param incarnation how often that one has been started, from 1
 * @param whole whether every rank has joined, so that structures can be used
 * @param joined how many have
 * @param missing the first ranks that have not joined yet, at most {@value #NAMED}
 * @param lost the first ranks that had joined and are gone, at most {@value #NAMED}
 */
record WorldState(String name, int size, int rank, int incarnation, boolean whole, int joined, List<Integer> missing,
        List<Integer> lost) {

    private static final int NAMED = 64;

    static WorldState of(World world) {
        List<Peer> peers = world.peers().snapshot();
        int joined = (int) peers.stream().filter(peer -> peer.standing() == Standing.JOINED).count();
        return new WorldState(world.name(), world.size(), world.rank(), world.incarnation(), joined == world.size(),
                joined, named(peers, Standing.MISSING), named(peers, Standing.LOST));
    }

    private static List<Integer> named(List<Peer> peers, Standing standing) {
        return peers.stream().filter(peer -> peer.standing() == standing).map(Peer::rank).limit(NAMED).toList();
    }
}
