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
 * The connections by which other ranks use the segment of this rank. All decisions about them are made under one
 * monitor:
 * <ol>
 * <li>A rank is let in if the owner has met it and has not shut it out; see {@link Admission}.
 * <li>Before that, the owner revokes the connection that the new one replaces. A rank that continues on a new
 * connection may be undoing what it had under way on the old one. A request that its rank has given up may arrive after
 * a later request of the same lane. It replaces nothing.
 * <li>The owner shuts a rank out by revoking its connections. Only then does it note that in the segment. A reader of
 * the note repairs what the rank has left behind.
 * </ol>
 *
 * @param <C> a connection
 */
public final class AccessControl<C> {

    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);

    /**
     * Ends a connection. When it returns, nothing that came by the connection can reach the segment any more.
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

        /** Lets the rank in, and returns the connection. If it throws, it has undone what it made. */
        C accept(ConnectRequest connectRequest) throws IOException;

        /**
         * @param refusalDetails what to tell the rank; {@link RefusalDetails#NOTHING} for a rank that has proved
         * nothing
         */
        void refuse(Refusal refusal, RefusalDetails refusalDetails) throws IOException;
    }

    /** Is called when a rank asks which incarnation this one is. Must neither wait nor throw. */
    @FunctionalInterface
    public interface Asked {
        void by(int rank, int incarnation);
    }

    private final WorldIdentity world;
    private final int rank;
    private final Admission admission;
    private final LocalMemory segment;
    private final Revoking<C> transport;
    private final Map<C, ConnectRequest> connected = new HashMap<>(); // guarded by this
    private final RefusalLog tally = new RefusalLog(); // guarded by this
    private final Refusals refusals = new Refusals();
    private final FormerIncarnations formerIncarnations;
    private volatile Asked asked = (_, _) -> {};
    private boolean withdrawn; // guarded by this

    /**
     * @param segment records which incarnations were shut out: other ranks ask for that, and it also binds the next
     * incarnation of this rank
     */
    public AccessControl(WorldIdentity world, int rank, int incarnation, LocalMemory segment, Revoking<C> transport) {
        this.world = world;
        this.rank = rank;
        this.segment = segment;
        this.admission = new Admission(world, rank, incarnation, segment);
        this.formerIncarnations = new FormerIncarnations(segment, rank, incarnation, world.size());
        this.transport = transport;
    }

    /**
     * Decides about a request.
     *
     * @param connectRequest null if a stranger asks
     * @return true if the rank was let in
     */
    public boolean answer(@Nullable ConnectRequest connectRequest, Reply<C> reply) throws IOException {
        Refusal refusal = letIn(connectRequest, reply);
        if (refusal != null) {
            report(connectRequest, refusal);
            if (connectRequest != null && onlyAsks(connectRequest, refusal)
                    && admission.isOfThisWorld(connectRequest)) {
                asked.by(connectRequest.rank(), connectRequest.incarnation());
            }
        }
        return refusal == null;
    }

    /** @param listener is called for each rank that asks which incarnation this one is */
    void whenAsked(Asked listener) {
        asked = listener;
    }

    /** Takes notice of the answer that another rank has given to this one. */
    public void isTold(RefusalDetails refusalDetails, int other) {
        formerIncarnations.note(other, refusalDetails.incarnation(), refusalDetails.met());
    }

    /** Returns what others have met of this rank. */
    FormerIncarnations formerIncarnations() {
        return formerIncarnations;
    }

    /** Returns the reason for a refusal, or null if the rank was let in. */
    private synchronized @Nullable Refusal letIn(@Nullable ConnectRequest connectRequest, Reply<C> reply)
            throws IOException {
        boolean isOfThisWorld = connectRequest != null && admission.isOfThisWorld(connectRequest);
        if (connectRequest != null && isOfThisWorld && connectRequest.rank() != rank) {
            formerIncarnations.note(connectRequest.rank(), connectRequest.incarnation(), connectRequest.met());
        }
        Refusal refusal = refusal(connectRequest);
        if (connectRequest == null || refusal != null) {
            Refusal reason = refusal == null ? Refusal.STRANGER : refusal;
            RefusalDetails refusalDetails = connectRequest != null && isOfThisWorld
                    ? admission.told(connectRequest.rank())
                    : RefusalDetails.NOTHING;
            tell(connectRequest, reason, refusalDetails, reply);
            return reason;
        }
        // Former incarnations of the requester no longer have access, since this one was met; see Admission.
        revoke(connectRequest::isSuccessorOf);
        connected.put(reply.accept(connectRequest), connectRequest);
        return null;
    }

    private @Nullable Refusal refusal(@Nullable ConnectRequest connectRequest) {
        if (withdrawn) {
            return Refusal.NOBODY;
        }
        if (formerIncarnations.later() > 0) {
            return Refusal.NOT_MET;
        }
        Refusal refusal = admission.refusal(connectRequest);
        if (connectRequest == null || refusal != null) {
            return refusal;
        }
        // It would end the connection that its requester uses.
        boolean isAbandoned = connected.values().stream().anyMatch(connectRequest::isAbandonedFor);
        return isAbandoned ? Refusal.ABANDONED : null;
    }

    /** Refuses a request for a reason that only the transport knows. */
    public void refuse(@Nullable ConnectRequest connectRequest, Refusal refusal, Reply<C> reply) throws IOException {
        tell(connectRequest, refusal, RefusalDetails.NOTHING, reply);
        report(connectRequest, refusal);
    }

    private synchronized void tell(@Nullable ConnectRequest connectRequest, Refusal refusal,
            RefusalDetails refusalDetails, Reply<C> reply)
            throws IOException {
        if (!onlyAsks(connectRequest, refusal)) {
            refusals.count(refusal);
        }
        reply.refuse(refusal, refusalDetails);
    }

    private static boolean onlyAsks(@Nullable ConnectRequest connectRequest, Refusal refusal) {
        return refusal == Refusal.OTHER_INCARNATION && connectRequest != null
                && connectRequest.targetIncarnation() == Handshake.ANY_INCARNATION;
    }

    /**
     * Returns how many attempts to connect this rank has ever refused. Requests that only asked for the incarnation do
     * not count.
     */
    public Refusals refusals() {
        return refusals;
    }

    /**
     * Reports a refusal. Skips a request that only asks for the incarnation, that comes a little early, or that was
     * given up. Writes the log without the monitor: a slow logger would otherwise delay a fence.
     */
    private void report(@Nullable ConnectRequest connectRequest, Refusal refusal) {
        report(connectRequest, refusal, "");
    }

    /**
     * Reports a refusal that the transport itself has told. Each reason is worth a line a minute at most.
     *
     * @param connectRequest null if it has not come yet
     * @param facts that follow in the line, each after a space
     */
    public void report(@Nullable ConnectRequest connectRequest, Refusal refusal, String facts) {
        if (onlyAsks(connectRequest, refusal) || refusal == Refusal.NOT_MET || refusal == Refusal.ABANDONED) {
            return;
        }
        int others = note(connectRequest, refusal);
        if (others != RefusalLog.UNREPORTED) {
            LOG.warn("refused to let a process use the segment: world={} rank={} request={} reason={} told=\"{}\""
                    + " others={}{}", world.name(), rank, connectRequest, refusal, refusal.words(), others, facts);
        }
    }

    private synchronized int note(@Nullable ConnectRequest connectRequest, Refusal refusal) {
        return tally.note(connectRequest, refusal, System.nanoTime());
    }

    /**
     * Notes that the incarnation may have access, before it gets access. Nothing that an earlier incarnation had under
     * way may arrive after that.
     */
    public synchronized void meet(int other, int itsIncarnation) throws IOException {
        SegmentHeader.remember(segment, other, itsIncarnation);
        fenceUpTo(other, itsIncarnation - 1);
    }

    /**
     * Revokes the access of all incarnations of the rank up to this one. When it returns, nothing of theirs can reach
     * the segment any more.
     */
    public synchronized void fenceUpTo(int other, int lastIncarnation) throws IOException {
        revoke(connectRequest -> connectRequest.rank() == other && connectRequest.incarnation() <= lastIncarnation);
        // Last: a reader of the note repairs what those incarnations have left behind.
        SegmentHeader.noteFenced(segment, other, lastIncarnation);
    }

    /** Revokes the access of all ranks and lets none in any more. From now on no other rank touches the segment. */
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

    /** Forgets a connection that has ended and has freed its resources itself. */
    public synchronized void forget(C connection) {
        connected.remove(connection);
    }

    private void revoke(Predicate<ConnectRequest> whose) throws IOException {
        for (Iterator<Map.Entry<C, ConnectRequest>> each = connected.entrySet().iterator(); each.hasNext();) {
            Map.Entry<C, ConnectRequest> entry = each.next();
            if (whose.test(entry.getValue())) {
                transport.revoke(entry.getKey());
                // Only now: a connection that could not be revoked must not be noted as shut out the next time.
                each.remove();
            }
        }
    }
}
