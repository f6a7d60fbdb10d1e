package io.atoll.fabric.link;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections by which other ranks use the segment of this one. Whatever is decided about them is decided under one
 * monitor:
 * <ol>
 * <li>a rank is let in when the owner has met it and has not shut it out, see {@link Admission};
 * <li>before that, the connection that it replaces is revoked: a rank that goes on by a new connection may be undoing
 * what it had under way on the old one. A request that its rank has given up, and that comes behind a later one of the
 * same lane, replaces nothing;
 * <li>a rank is shut out by revoking its connections, and only then noting that in the segment: a reader of the note
 * repairs what the rank has left behind.
 * </ol>
 *
 * @param <C> a connection
 */
public final class Access<C> {

    private static final Logger LOG = LoggerFactory.getLogger(Access.class);

    /**
     * Ends a connection: when it returns, nothing that came by it can reach the segment any more.
     *
     * @param <C> a connection
     */
    @FunctionalInterface
    public interface Revoking<C> {
        void revoke(C connection) throws IOException;
    }

    /**
     * Answers a request. Called under the monitor.
     *
     * @param <C> a connection
     */
    public interface Reply<C> {

        /** Lets the rank in, and returns by which connection. What it has made is gone when it throws. */
        C accept(Request request) throws IOException;

        /** @param told to whom is refused; {@link Told#NOTHING} where it has proved nothing */
        void refuse(Refusal refusal, Told told) throws IOException;
    }

    /** Is told that a rank asks which incarnation this one is. Must neither wait nor throw. */
    @FunctionalInterface
    public interface Asked {
        void by(int rank, int incarnation);
    }

    private final WorldIdentity world;
    private final int rank;
    private final Admission admission;
    private final LocalMemory segment;
    private final Revoking<C> transport;
    private final Map<C, Request> connected = new HashMap<>(); // guarded by this
    private final RefusalTally tally = new RefusalTally(); // guarded by this
    private final Refusals refusals = new Refusals();
    private final FormerLives formerLives;
    private volatile Asked asked = (_, _) -> {};
    private boolean withdrawn; // guarded by this

    /**
     * @param segment where it is noted which incarnations were shut out: others ask for it, and it holds for the next
     * incarnation of this rank, too
     */
    public Access(WorldIdentity world, int rank, int incarnation, LocalMemory segment, Revoking<C> transport) {
        this.world = world;
        this.rank = rank;
        this.segment = segment;
        this.admission = new Admission(world, rank, incarnation, segment);
        this.formerLives = new FormerLives(segment, rank, incarnation, world.size());
        this.transport = transport;
    }

    /**
     * Decides about a request.
     *
     * @param request null from a stranger
     * @return whether the rank was let in
     */
    public boolean answer(@Nullable Request request, Reply<C> reply) throws IOException {
        Refusal refusal = letIn(request, reply);
        if (refusal != null) {
            report(request, refusal);
            if (request != null && onlyAsks(request, refusal) && admission.isOfThisWorld(request)) {
                asked.by(request.rank(), request.incarnation());
            }
        }
        return refusal == null;
    }

    /** @param listener is told of each rank that asks which incarnation this one is */
    void whenAsked(Asked listener) {
        asked = listener;
    }

    /** Another rank has answered this one. */
    public void isTold(Told told, int other) {
        formerLives.note(other, told.incarnation(), told.met());
    }

    /** What others have met of this rank. */
    FormerLives formerLives() {
        return formerLives;
    }

    /** Returns why not, or null. */
    private synchronized @Nullable Refusal letIn(@Nullable Request request, Reply<C> reply) throws IOException {
        boolean isOfThisWorld = request != null && admission.isOfThisWorld(request);
        if (request != null && isOfThisWorld && request.rank() != rank) {
            formerLives.note(request.rank(), request.incarnation(), request.met());
        }
        Refusal refusal = refusal(request);
        if (request == null || refusal != null) {
            Refusal reason = refusal == null ? Refusal.STRANGER : refusal;
            Told told = request != null && isOfThisWorld ? admission.told(request.rank()) : Told.NOTHING;
            tell(request, reason, told, reply);
            return reason;
        }
        // Former incarnations have no access by now: this one was met, see Admission.
        revoke(request::isSuccessorOf);
        connected.put(reply.accept(request), request);
        return null;
    }

    private @Nullable Refusal refusal(@Nullable Request request) {
        if (withdrawn) {
            return Refusal.NOBODY;
        }
        if (formerLives.later() > 0) {
            return Refusal.NOT_MET;
        }
        Refusal refusal = admission.refusal(request);
        if (request == null || refusal != null) {
            return refusal;
        }
        // Else it would end the connection that its requester uses.
        boolean isAbandoned = connected.values().stream().anyMatch(request::isAbandonedFor);
        return isAbandoned ? Refusal.ABANDONED : null;
    }

    /** Refuses a request for a reason that the transport knows. */
    public void refuse(@Nullable Request request, Refusal refusal, Reply<C> reply) throws IOException {
        tell(request, refusal, Told.NOTHING, reply);
        report(request, refusal);
    }

    private synchronized void tell(@Nullable Request request, Refusal refusal, Told told, Reply<C> reply)
            throws IOException {
        if (!onlyAsks(request, refusal)) {
            refusals.count(refusal);
        }
        reply.refuse(refusal, told);
    }

    private static boolean onlyAsks(@Nullable Request request, Refusal refusal) {
        return refusal == Refusal.OTHER_INCARNATION && request != null
                && request.targetIncarnation() == Greeting.ANY_INCARNATION;
    }

    /** Returns how many attempts to connect were refused, ever; none of those that only asked for the incarnation. */
    public Refusals refusals() {
        return refusals;
    }

    /**
     * Does not report a requester that only asks for the incarnation, that comes a little early, or that has gone.
     * Writes the log without the monitor: else a logger that waits would keep a fence waiting.
     */
    private void report(@Nullable Request request, Refusal refusal) {
        if (onlyAsks(request, refusal) || refusal == Refusal.NOT_MET || refusal == Refusal.ABANDONED) {
            return;
        }
        int others = note(request, refusal);
        if (others != RefusalTally.UNREPORTED) {
            LOG.warn("refused to let a process use the segment: world={} rank={} request={} reason={} others={}",
                    world.name(), rank, request, refusal, others);
        }
    }

    private synchronized int note(@Nullable Request request, Refusal refusal) {
        return tally.note(request, refusal, System.nanoTime());
    }

    /**
     * Notes that the incarnation may have access: before it has. What an earlier one had under way must not arrive
     * after that.
     */
    public synchronized void meet(int other, int itsIncarnation) throws IOException {
        SegmentHeader.remember(segment, other, itsIncarnation);
        fenceUpTo(other, itsIncarnation - 1);
    }

    /**
     * Revokes the access of all incarnations of the rank up to this one: when it returns, nothing of theirs can reach
     * the segment any more.
     */
    public synchronized void fenceUpTo(int other, int lastIncarnation) throws IOException {
        revoke(request -> request.rank() == other && request.incarnation() <= lastIncarnation);
        // Last: a reader of the note repairs what those incarnations have left behind.
        SegmentHeader.noteFenced(segment, other, lastIncarnation);
    }

    /** Revokes everybody's access, and lets nobody in any more: from now on the segment is not touched. */
    public synchronized void withdraw() throws IOException {
        withdrawn = true;
        revoke(_ -> true);
    }

    /** Revokes a connection that has ended, if it still has access. */
    public synchronized void revoke(C connection) throws IOException {
        if (connected.containsKey(connection)) {
            transport.revoke(connection);
            connected.remove(connection);
        }
    }

    /** Forgets a connection that has ended and been given back by itself. */
    public synchronized void forget(C connection) {
        connected.remove(connection);
    }

    private void revoke(Predicate<Request> whose) throws IOException {
        for (Iterator<Map.Entry<C, Request>> each = connected.entrySet().iterator(); each.hasNext();) {
            Map.Entry<C, Request> entry = each.next();
            if (whose.test(entry.getValue())) {
                transport.revoke(entry.getKey());
                // Not before: what could not be revoked must not be noted as shut out the next time.
                each.remove();
            }
        }
    }
}
