package io.atoll.fabric;

import io.atoll.background.BackgroundThread;
import io.atoll.failure.JoinRefusedException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** This process's place on a fabric: its rank and segment, and which peers it can reach. Methods other than {@link #presence}, {@link #isFenced}, {@link #connections} and {@link #readLeft} are called by one thread at a time. */
public interface Attachment extends AutoCloseable {

    /** What is known of a rank. */
    enum State {
        /** Never seen, or gone without a trace. */
        ABSENT,
        /** Lives, be it paused. */
        PRESENT,
        /** Was there and is proven to be gone. */
        GONE,
        /** Was there, answers no more, and nobody can prove that it is gone. */
        SILENT,
        /** This fabric cannot tell; the membership must. An incarnation that it names has ended: a later one may live. */
        UNKNOWN
    }

    /**
     * @param incarnation of the process that is, or was, this rank; 0 where {@link State#ABSENT}, and where {@link
     * State#UNKNOWN} unless that has ended
     * @param address where it lets others connect, if this machine knows; else null
     * @param born the incarnation in which its segment was made, 0 where this machine does not know it
     */
    record Presence(State state, int incarnation, @Nullable InetSocketAddress address, int born) {

        public Presence(State state, int incarnation) {
            this(state, incarnation, null);
        }

        public Presence(State state, int incarnation, @Nullable InetSocketAddress address) {
            this(state, incarnation, address, 0);
        }
    }

    /**
     * What a rank has shown of being the incarnation that the membership says.
     *
     * @param born the incarnation in which its segment was made, 0 where it was not asked
     * @param refusal why it has not; null where it has, and before it has answered
     */
    record Proof(boolean isGiven, int born, @Nullable String refusal) {

        /** Of one that need not be asked. */
        public static final Proof GIVEN = new Proof(true, 0, null);

        public static final Proof AWAITED = new Proof(false, 0, null);

        /** Of one that has answered. */
        public static Proof given(int born) {
            return new Proof(true, born, null);
        }

        public static Proof refused(String reason) {
            return new Proof(false, 0, reason);
        }
    }

    /** By which the ranks are reached. Another one after {@link #renew}. */
    Fabric fabric();

    /**
     * Whether ranks may be where nobody sees their end: a rank has ended then when the world's view has removed it. Elsewhere
     * {@link #presence} knows.
     */
    default boolean needsViews() {
        return false;
    }

    /** Whether the rank runs on this host and reaches this process's memory as its own: only its end shuts it out. */
    default boolean sharesMemoryWith(int rank) {
        return true;
    }

    /** Longer than anybody waits. */
    Duration NEVER_HEARD = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * Returns for how long nothing is heard of a rank, but for the time in which this process stood still: by its
     * connections, or by its answers. {@link #NEVER_HEARD} where nobody listens for it.
     */
    default Duration unheard(int rank) {
        return NEVER_HEARD;
    }

    /** Whether another rank has refused to let this incarnation in, since it takes it for dead. */
    default boolean isShutOut() {
        return false;
    }

    /** How often this rank has been started, from 1. */
    int incarnation();

    /**
     * Asks ranks which lives of this one they have met, as far as they answer within two seconds. One whose segment has
     * never belonged to a member of the world may have had lives of which it has no memory: its incarnation, and the
     * address, are others afterwards if that is so. To be called before anybody uses the {@link #fabric}.
     *
     * @param addresses the {@link #address} of each rank that a membership knows
     * @return whether they are others now
     */
    default boolean learnFormerLives(Map<Integer, Map<String, String>> addresses) {
        return false;
    }

    /**
     * The incarnation of this rank that another one has met, of which this process has learnt too late that it is not
     * above that: it must be started anew. 0 if that is not so.
     */
    default int laterLife() {
        return 0;
    }

    /**
     * Makes the own segment anew, for a process above those incarnations, where nobody uses it yet.
     *
     * @throws UnsupportedOperationException where segments cannot be lost
     */
    default void makeAnew(int above) {
        throw new UnsupportedOperationException("segments are not lost here: above=" + above);
    }

    /** What peers must know to connect; they receive it through the membership. */
    Map<String, String> address();

    /**
     * What this machine itself knows of a rank, without asking the membership. The own rank is {@link State#PRESENT}, or {@link State#GONE} once others must
     * take it for that: because its files were removed, or another process has taken its place. May be called by any thread.
     */
    Presence presence(int rank);

    /**
     * Returns whether a rank has shown that it is that incarnation. What a membership says of a rank that is reached by
     * connections is a hint only: nobody has proved that to it, and it does not tell segments apart. The rank is asked
     * then, and the {@linkplain #whenToLook listener} is called once it has answered. Waits for nobody.
     *
     * @param address as the membership says
     */
    default Proof proof(int rank, int incarnation, Map<String, String> address) {
        return Proof.GIVEN;
    }

    /**
     * Makes the rank's segment accessible, once there is {@linkplain #proof proof} of the rank. Does nothing for one
     * that is.
     *
     * @param address the peer's {@link #address()}, empty where presence alone suffices
     * @throws io.atoll.failure.RankUnreachableException without a proof
     * @throws io.atoll.failure.LayoutMismatchException when its segment is not this world's
     */
    void connect(int rank, int incarnation, Map<String, String> address);

    /**
     * A rank that is {@linkplain #fence fenced} has lost its segment. From now on {@link #fabric} is another one, which
     * reaches the segment that the rank has now, once it is {@linkplain #connect connected}. The former ones go on
     * reaching all other ranks, and never that segment: who uses them knows offsets of the lost one. What they are asked
     * of that rank fails with a {@link io.atoll.failure.SegmentLostException}.
     *
     * @param born the incarnation in which the present segment was made, as {@link #presence} tells it
     * @throws UnsupportedOperationException where {@link #presence} does not tell it
     */
    default void renew(int rank, int born) {
        throw new UnsupportedOperationException("nobody tells segments apart here: rank=" + rank + " born=" + born);
    }

    /** Ends the rank's access to this process's segment, where the fabric can, and this process's access to the rank's. */
    void fence(int rank);

    /**
     * Whether nothing that a rank has under way can reach a segment any more, if the rank has ended. Only the segment's owner can see to that, and may have yet
     * to hear of the end. May be called by any thread. Cost: R where the owner must be asked.
     *
     * @param incarnation of the rank, which has ended; {@link Integer#MAX_VALUE} for all that have been met, which is larger than any
     * @param segment the owner's rank
     * @throws io.atoll.failure.RankUnreachableException when the owner must be asked and is not there
     */
    boolean isFenced(int rank, int incarnation, int segment);

    /** What this process sees of its connections with other ranks, where the fabric has any that it looks after. */
    default Optional<Connections> connections() {
        return Optional.empty();
    }

    /**
     * Calls the listener soon after a connection with another rank has broken, where the fabric has connections: the rank
     * may have ended. It proves nothing. Also calls it when a rank has proved itself. The listener must neither wait nor
     * throw.
     */
    default void whenToLook(Runnable listener) {}

    /**
     * Copies from the file that a rank's process has left on this host, where segments are files: for what its end made
     * unreachable. Maps nothing, and keeps no file that would be removed. Who looks on only: what is read may belong to
     * a process that has been started again meanwhile.
     *
     * @return false where there is no such file, of this world and user
     */
    default boolean readLeft(int rank, long offset, MemorySegment into) {
        return false;
    }

    /** The threads that it works by. */
    default List<BackgroundThread> background() {
        return List.of();
    }

    /**
     * Ends this process's access to every segment, its own included, and the others' access to its own by this fabric: for good, since others must take it for gone. When it returns, no store of
     * this process reaches a segment any more. Accesses under way in other threads and later ones fail with a {@link io.atoll.failure.FencedException}. May be called again.
     *
     * @param reason how this process has learnt of it
     */
    void withdraw(JoinRefusedException reason);

    /**
     * Gives the rank back and leaves its segment where it is, whether or not the fabric was told to: for a process that
     * takes the rank again. What nobody needs any more is removed by {@link #close}, if that follows.
     */
    void release();

    /** Gives the rank back. What nobody needs any more is removed, unless the fabric was told to retain it. */
    @Override
    void close();
}
