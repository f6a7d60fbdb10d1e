package io.atoll.fabric.link;

import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.link.Inquiries.Answer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjIntConsumer;

/**
 * Which incarnations of ranks have answered and so proved themselves. A membership may be told anything by anybody: what
 * it says is asked for where it says, and believed when the rank says the same.
 */
final class Proofs {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int MOST_CLAIMS = 1 << 10; // that are remembered: a stranger may claim any number

    private final Inquiries inquiries;
    private final Duration timeout;
    private final Alarm alarm;
    private final Map<Incarnation, Integer> given = new ConcurrentHashMap<>(); // when the segment of each was made
    private final ObjIntConsumer<Told> listener;
    private final Map<Target, Claim> claims = new LinkedHashMap<>(); // the last made last; guarded by this

    private record Incarnation(int rank, int number) {}

    /** What somebody says to be. */
    private final class Claim {

        private final Target claimed;
        private Proof proof = Proof.AWAITED; // guarded by the monitor of the proofs, as all that follows
        private boolean isAsked;
        private long dueNanos = System.nanoTime();

        private Claim(Target claimed) {
            this.claimed = claimed;
        }

        private void askIfDue() {
            if (isAsked || proof.isGiven() || System.nanoTime() - dueNanos < 0) {
                return;
            }
            dueNanos = System.nanoTime() + INTERVAL.toNanos(); // also where there is no thread for it
            inquiries.ask(claimed.rank(), claimed.address(), timeout, this::take);
            isAsked = true;
        }

        private void take(Answer answer) {
            if (answer.refusal() == null) {
                note(claimed.rank(), answer.told());
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

        /** Where another incarnation answers it is the claim that has to change. */
        private Proof proof(Answer answer) {
            if (answer.refusal() != null) {
                return Proof.refused(answer.refusal());
            }
            Told told = answer.told();
            return told.incarnation() == claimed.incarnation() ? Proof.given(told.born()) : Proof.AWAITED;
        }
    }

    /**
     * @param timeout in which a rank that is asked has to answer
     * @param alarm is raised when a rank has proved itself
     * @param listener is told what each rank tells, by the thread that has asked it
     */
    Proofs(Inquiries inquiries, Duration timeout, Alarm alarm, ObjIntConsumer<Told> listener) {
        this.listener = listener;
        this.inquiries = inquiries;
        this.timeout = timeout;
        this.alarm = alarm;
    }

    /** The rank has answered that it is that incarnation. */
    void note(int rank, Told told) {
        given.put(new Incarnation(rank, told.incarnation()), told.born());
        listener.accept(told, rank);
    }

    /** Returns the incarnation in which the segment was made that this one has, 0 where it has not answered. */
    int born(int rank, int incarnation) {
        return given.getOrDefault(new Incarnation(rank, incarnation), Greeting.ANY_SEGMENT);
    }

    /** Returns whether the rank has proved to be that incarnation, wherever. */
    boolean isGiven(int rank, int incarnation) {
        return given.containsKey(new Incarnation(rank, incarnation));
    }

    /**
     * Returns what is known of the claim. The rank is asked once a second until it has proved itself at that address:
     * others may claim to be the same incarnation.
     */
    synchronized Proof of(Target claimed) {
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
