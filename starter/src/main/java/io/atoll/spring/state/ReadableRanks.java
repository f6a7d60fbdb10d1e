package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.spring.state.CachedLook.Seen;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The ranks of a world, for threads that read their segments. A rank that is known not to answer is not read. Other
 * ranks that do not answer are waited for together, and for a limited time only. What was seen of them before is shown
 * then. Any thread may use it.
 */
final class ReadableRanks implements AutoCloseable {

    /** How long a look at many ranks waits for all of them together. A late rank is shown as it was seen last. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long to wait for a look that reads one rank after the other. */
    private static final Duration PATIENCE_WITH_ALL = Duration.ofSeconds(1);

    private final World world;
    private final Inspection inspection;
    private final ParallelLook parallelLook;

    ReadableRanks(World world) {
        this.world = world;
        this.inspection = world.inspection();
        this.parallelLook = new ParallelLook(world.rank());
    }

    /** Returns this process's rank. */
    int own() {
        return world.rank();
    }

    /** Returns the ranks of the world, in their order. Cost: none. */
    List<Peer> all() {
        return world.peers().snapshot();
    }

    boolean isReadable(int rank) {
        return isReadable(all().get(rank));
    }

    /** Returns true if the rank has joined, and is not known to leave its readers without an answer. */
    boolean isReadable(Peer peer) {
        return peer.status() == PeerStatus.JOINED && (peer.refusal() == null || inspection.isMapped(peer.rank()));
    }

    private boolean isMapped(int rank) {
        return rank == world.rank() || inspection.isMapped(rank);
    }

    /** Looks at all readable ranks: in this thread at mapped segments, in other threads at all others. */
    void look(Kind kind, List<Peer> peers, IntConsumer look) {
        List<Integer> others = new ArrayList<>();
        for (Peer peer : peers) {
            if (isReadable(peer)) {
                if (isMapped(peer.rank())) {
                    look.accept(peer.rank());
                } else {
                    others.add(peer.rank());
                }
            }
        }
        parallelLook.look(kind, others, look, PATIENCE);
    }

    /**
     * Runs a look that reads one rank after the other in another thread, and waits for at most two seconds. Where all
     * ranks are mapped the look runs in this thread, since no rank can be silent.
     */
    void inTime(Kind kind, Runnable look) {
        if (all().stream().filter(this::isReadable).allMatch(peer -> isMapped(peer.rank()))) {
            look.run();
        } else {
            parallelLook.look(kind, List.of(world.rank()), _ -> look.run(), PATIENCE);
        }
    }

    /**
     * Returns the last result of a look that reads one rank after the other. It may be older than wanted if a rank does
     * not answer: this method waits a second for the look.
     *
     * @param kept how long a result is reused before the next look
     */
    <T> List<T> recent(Kind kind, CachedLook<List<T>> cached, Duration kept, Supplier<List<T>> look) {
        parallelLook.look(kind, List.of(world.rank()), _ -> cached.look(kept, look), PATIENCE_WITH_ALL);
        Seen<List<T>> seen = cached.last();
        return seen == null ? List.of() : seen.what();
    }

    /** Returns the last result of a look at a rank, if the rank can be read. */
    <T> Optional<T> last(Map<Integer, CachedLook<Optional<T>>> looks, Peer peer) {
        CachedLook<Optional<T>> look = isReadable(peer) ? looks.get(peer.rank()) : null;
        Seen<Optional<T>> seen = look == null ? null : look.last();
        return seen == null ? Optional.empty() : seen.what();
    }

    /** Ends the looks that are under way. */
    @Override
    public void close() {
        parallelLook.close();
    }
}
