package io.atoll.fabric.link;

import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.link.IncarnationQueries.Answer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjIntConsumer;

/**
 * Records which incarnations of ranks have proved themselves by an answer. A stranger may tell a membership anything.
 * So this process asks at the address that a membership names. It believes the membership only if the rank says the
 * same.
 */
final class Proofs {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int MOST_CLAIMS = 1 << 10; // how many are remembered: a stranger may claim any number

    private final IncarnationQueries incarnationQueries;
    private final Duration timeout;
    private final Alarm alarm;
    // The incarnation in which the segment of each was made.
    private final Map<Incarnation, Integer> given = new ConcurrentHashMap<>();
    private final ObjIntConsumer<RefusalDetails> listener;
    private final Map<PeerAddress, Claim> claims = new LinkedHashMap<>(); // the latest is last; guarded by this

    private record Incarnation(int rank, int number) {}

    /** The identity that a process claims to have. */
    private final class Claim {

        private final PeerAddress claimed;
        private Proof proof = Proof.AWAITED; // guarded by the monitor of the proofs, as are the next two
        private boolean isAsked;
        private long dueNanos = System.nanoTime();

        private Claim(PeerAddress claimed) {
            this.claimed = claimed;
        }

        private void askIfDue() {
            if (isAsked || proof.isGiven() || System.nanoTime() - dueNanos < 0) {
                return;
            }
            dueNanos = System.nanoTime() + INTERVAL.toNanos(); // also if there is no thread for it
            incarnationQueries.ask(claimed.rank(), claimed.address(), timeout, this::take);
            isAsked = true;
        }

        private void take(Answer answer) {
            if (answer.refusal() == null) {
                note(claimed.rank(), answer.refusalDetails());
            }
            synchronized (Proofs.this) {
                isAsked = false;
                dueNanos = System.nanoTime() + INTERVAL.toNanos();
                proof = proof(answer);
            }
            if (answer.refusal() == null) {
                alarm.raise(claimed.rank());
            }
        }

        /**
         * Returns what the answer proves. If another incarnation answers, the proof is still awaited: the claim has to
         * change.
         */
        private Proof proof(Answer answer) {
            if (answer.refusal() != null) {
                return Proof.refused(answer.refusal());
            }
            RefusalDetails refusalDetails = answer.refusalDetails();
            return refusalDetails.incarnation() == claimed.incarnation()
                    ? Proof.given(refusalDetails.born())
                    : Proof.AWAITED;
        }
    }

    /**
     * @param timeout the time in which a rank has to answer
     * @param alarm is raised when a rank has proved itself
     * @param listener receives what each rank tells, from the thread that has asked it
     */
    Proofs(IncarnationQueries incarnationQueries, Duration timeout, Alarm alarm,
            ObjIntConsumer<RefusalDetails> listener) {
        this.listener = listener;
        this.incarnationQueries = incarnationQueries;
        this.timeout = timeout;
        this.alarm = alarm;
    }

    /** Notes that the rank has answered as this incarnation. */
    void note(int rank, RefusalDetails refusalDetails) {
        given.put(new Incarnation(rank, refusalDetails.incarnation()), refusalDetails.born());
        listener.accept(refusalDetails, rank);
    }

    /** Returns the incarnation in which the segment of this one was made, or 0 if it has not answered. */
    int born(int rank, int incarnation) {
        return given.getOrDefault(new Incarnation(rank, incarnation), Handshake.ANY_SEGMENT);
    }

    /** Returns true if the rank has proved to be this incarnation, at any address. */
    boolean isGiven(int rank, int incarnation) {
        return given.containsKey(new Incarnation(rank, incarnation));
    }

    /**
     * Returns what is known of the claim. Asks the rank once a second until it has proved itself at that address:
     * strangers may claim to be the same incarnation.
     */
    synchronized Proof of(PeerAddress claimed) {
        Claim known = claims.remove(claimed);
        Claim claim = known == null ? new Claim(claimed) : known;
        claims.put(claimed, claim);
        if (claims.size() > MOST_CLAIMS) {
            claims.remove(claims.keySet().iterator().next());
        }
        claim.askIfDue();
        return claim.proof;
    }
}
