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

/**
 * This process's place on a fabric: its rank and segment, and the peers that it can reach. One thread at a time calls
 * the methods other than {@link #presence}, {@link #isFenced}, {@link #connections} and {@link #readLeft}.
 */
public interface Attachment extends AutoCloseable {

    /** The state of a rank, as far as it is known. */
    enum State {
        /** Never seen, or gone without a trace. */
        ABSENT,
        /** The rank lives; it may be paused. */
        PRESENT,
        /** The rank was there and is proven to be gone. */
        GONE,
        /** The rank was there and answers no more, and no process can prove that it is gone. */
        SILENT,
        /**
         * This fabric cannot tell; the membership must. An incarnation that the presence names has ended: a later one
         * may live.
         */
        UNKNOWN
    }

    /**
     * What this machine knows of a rank.
     *
     * @param incarnation of the process that is, or was, this rank; 0 for {@link State#ABSENT}, and for
     * {@link State#UNKNOWN} unless that incarnation has ended
     * @param address where the rank lets others connect; null if this machine does not know it
     * @param born the incarnation in which the rank's segment was made; 0 if this machine does not know it
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
     * A rank's proof that it is the incarnation which the membership names.
     *
     * @param born the incarnation in which its segment was made; 0 if the rank was not asked
     * @param refusal why the rank has not proved it; null if it has, and before it has answered
     */
    record Proof(boolean isGiven, int born, @Nullable String refusal) {

        /** The proof of a rank that need not be asked. */
        public static final Proof GIVEN = new Proof(true, 0, null);

        public static final Proof AWAITED = new Proof(false, 0, null);

        /** Returns the proof of a rank that has answered. */
        public static Proof given(int born) {
            return new Proof(true, born, null);
        }

        public static Proof refused(String reason) {
            return new Proof(false, 0, reason);
        }
    }

    /** Returns the fabric that reaches the ranks. It is another one after {@link #renew}. */
    Fabric fabric();

    /**
     * Returns true if ranks may run where no process sees their end. There a rank has ended when the world's view has
     * removed it. Elsewhere {@link #presence} knows.
     */
    default boolean needsViews() {
        return false;
    }

    /**
     * Returns true if the rank runs on this host and reaches this process's memory as its own: only its end shuts it
     * out.
     */
    default boolean sharesMemoryWith(int rank) {
        return true;
    }

    /** Longer than any caller waits. */
    Duration NEVER_HEARD = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * Returns for how long nothing has been heard of a rank, by its connections or by its answers. The time in which
     * this process stood still does not count. Returns {@link #NEVER_HEARD} if this process does not listen for the
     * rank.
     */
    default Duration unheard(int rank) {
        return NEVER_HEARD;
    }

    /** Returns true if another rank has refused to let this incarnation in, since it takes it for dead. */
    default boolean isShutOut() {
        return false;
    }

    /** Returns how often this rank has been started, from 1. */
    int incarnation();

    /**
     * Asks ranks which earlier incarnations of this rank they have met, and waits at most two seconds for their
     * answers. Does nothing if this rank's segment has ever belonged to a member of the world: such a segment records
     * the incarnations itself. This rank's incarnation and address change in two cases. A rank has met this incarnation
     * or a later one, or the segment is that of a former process. The caller calls this before any thread uses the
     * {@link #fabric}.
     *
     * @param addresses the {@link #address} of each rank that a membership knows
     * @return true if the incarnation and the address have changed
     */
    default boolean learnFormerLives(Map<Integer, Map<String, String>> addresses) {
        return false;
    }

    /**
     * Returns an incarnation of this rank that another rank has met, and that is not below the one of this process.
     * This process has learnt of it too late, and must be started anew. Returns 0 if there is none.
     */
    default int laterLife() {
        return 0;
    }

    /**
     * Makes the own segment anew, while no thread uses it yet. This process becomes a later incarnation.
     *
     * @param above the new incarnation is larger than this one
     * @throws UnsupportedOperationException where segments cannot be lost
     */
    default void makeAnew(int above) {
        throw new UnsupportedOperationException("segments are not lost here: above=" + above);
    }

    /** Returns what peers must know to connect. They receive it through the membership. */
    Map<String, String> address();

    /**
     * Returns what this machine itself knows of a rank, without asking the membership. The own rank is
     * {@link State#PRESENT}, or {@link State#GONE} once others must take it for gone: because its files were removed,
     * or because another process has taken its place. Any thread may call this.
     */
    Presence presence(int rank);

    /**
     * Returns a rank's proof that it is that incarnation, as far as the rank has given it. For a rank that is reached
     * by connections, the membership's word is only a hint. The membership has received no proof, and it does not tell
     * segments apart. So this process asks the rank itself. The {@linkplain #whenToLook listener} is called once the
     * rank has answered. This method waits for no rank.
     *
     * @param address as the membership says
     */
    default Proof proof(int rank, int incarnation, Map<String, String> address) {
        return Proof.GIVEN;
    }

    /**
     * Makes the rank's segment accessible, once there is {@linkplain #proof proof} of the rank. Does nothing if it is
     * accessible already.
     *
     * @param address the peer's {@link #address()}; empty where presence alone suffices
     * @throws io.atoll.failure.RankUnreachableException without a proof
     * @throws io.atoll.failure.LayoutMismatchException if the rank's segment is not this world's
     */
    void connect(int rank, int incarnation, Map<String, String> address);

    /**
     * Replaces {@link #fabric} after a rank that is {@linkplain #fence fenced} has lost its segment. The new fabric
     * reaches the segment that the rank has now, once it is {@linkplain #connect connected}. Former fabrics go on
     * reaching all other ranks. They never reach that segment, because their users know offsets of the lost one. Their
     * verbs on that rank fail with a {@link io.atoll.failure.SegmentLostException}.
     *
     * @param born the incarnation in which the present segment was made, as {@link #presence} tells it
     * @throws UnsupportedOperationException where {@link #presence} does not tell it
     */
    default void renew(int rank, int born) {
        throw new UnsupportedOperationException("nobody tells segments apart here: rank=" + rank + " born=" + born);
    }

    /**
     * Ends the rank's access to this process's segment, where the fabric can, and this process's access to the rank's
     * segment.
     */
    void fence(int rank);

    /**
     * Returns true if nothing that the rank had under way can reach the segment any more. The rank has ended. Only the
     * segment's owner can ensure that, and the owner may not have heard of the end yet. Any thread may call this. Cost:
     * R if the owner must be asked.
     *
     * @param incarnation of the rank, which has ended; {@link Integer#MAX_VALUE}, which is larger than any, for all
     * that have been met
     * @param segment the owner's rank
     * @throws io.atoll.failure.RankUnreachableException if the owner must be asked and is not there
     */
    boolean isFenced(int rank, int incarnation, int segment);

    /** Returns what this process sees of its connections with other ranks, if the fabric looks after any. */
    default Optional<Connections> connections() {
        return Optional.empty();
    }

    /**
     * Returns what counts the changes of this process that may still arrive although they have failed. Empty where a
     * change that has failed never arrives.
     */
    default Optional<LateVerbs> lateVerbs() {
        return Optional.empty();
    }

    /**
     * Calls the listener when it should look at the {@link #presence} or the {@link #proof} of ranks again. That is
     * soon after a connection has broken: its rank may have ended, although a broken connection proves nothing. It is
     * also when a rank has given its proof. The listener must neither wait nor throw.
     */
    default void whenToLook(Runnable listener) {}

    /**
     * Copies from the segment of a rank whose process has ended, where segments are files of this host. It maps
     * nothing, and keeps no file that would be removed. For observers only: the bytes may belong to a process that has
     * been started again meanwhile.
     *
     * @return false if there is no such file of this world and user
     */
    default boolean readLeft(int rank, long offset, MemorySegment into) {
        return false;
    }

    /** Returns the threads that this attachment works by. */
    default List<BackgroundThread> background() {
        return List.of();
    }

    /**
     * Ends this process's access to every segment, its own included, and the others' access to its own by this fabric.
     * It is final, since others must take this process for gone. When it returns, no store of this process reaches a
     * segment any more. Accesses under way in other threads and later ones fail with a
     * {@link io.atoll.failure.FencedException}. The caller may call it again.
     *
     * @param reason how this process has learnt of it
     */
    void withdraw(JoinRefusedException reason);

    /**
     * Gives the rank back and leaves its segment where it is, even if the fabric does not retain segments: for a
     * process that takes the rank again. A later {@link #close} removes what no process needs any more.
     */
    void release();

    /** Gives the rank back. Removes what no process needs any more, unless the fabric retains segments. */
    @Override
    void close();
}
