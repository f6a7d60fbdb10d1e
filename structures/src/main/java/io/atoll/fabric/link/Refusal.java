package io.atoll.fabric.link;

import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.LayoutMismatchException.Mismatch;
import io.atoll.failure.RankUnreachableException;

/** The reasons to refuse a request to connect. */
public enum Refusal {
    /** The request does not come from a rank. */
    STRANGER("the rank takes this process for a stranger, run the same version of Atoll with the same settings"),
    /** The world has another name or size. */
    OTHER_WORLD("the segment is of another world, tell all processes the same name and size of the world"),
    /** The segment has another layout, or the connection another protocol. */
    OTHER_LAYOUT("the rank runs another version of Atoll, run the same version everywhere"),
    /** Another rank listens there. */
    OTHER_RANK("another rank listens there, correct the list of addresses or start the rank where it says"),
    /** The target has been started again since. */
    OTHER_INCARNATION("the rank is another incarnation than expected, repeat the operation when it has joined again"),
    /** The target takes the requester for dead. */
    FENCED("this incarnation was declared dead, start this process anew with the segment that it had, "
            + "or stop all processes of the world if that is lost"),
    /** No process listens there, or it does not say why it refuses. */
    NOBODY("nobody listens there, start the rank or correct its address"),
    /** The target has not met the requester yet, but may do so soon. */
    NOT_MET("the rank has not met this process yet, see whether its membership or list of addresses knows this one"),
    /** The requester has not proved that it knows the secret. Or only one of the two has a secret. */
    UNPROVED("the two processes do not know the same secret, give all processes of the world the same one"
            + " (atoll.fabric.tcp.secret, or atoll.fabric.rdma.secret)"),
    /** Only one of the two encrypts. Most often only one of them has a secret. */
    OTHER_ENCRYPTION(
            "one of the two processes encrypts and the other does not, give all processes of the world the same"
                    + " secret or certificates, and the same choice of encryption (atoll.fabric.tcp.secret,"
                    + " atoll.fabric.tcp.ssl, atoll.fabric.tcp.encrypt)"),
    /** The requester has not shown a certificate of a rank. */
    UNTRUSTED("the rank does not know the name in this process's certificate, let both name the same ranks, and give"
            + " the certificate a subject alternative name"),
    /** The requester has connected by a later attempt. */
    ABANDONED("this process has connected by a later attempt, repeat the operation"),
    /**
     * The handshake did not end: the requester was silent for too long, has closed the connection, or has given way to
     * one from elsewhere.
     */
    UNFINISHED("the handshake did not end in time, repeat the operation");

    private final String words;

    Refusal(String words) {
        this.words = words;
    }

    /** Returns true if at least one of the rank's addresses refused for this reason. */
    boolean isToldBy(RankUnreachableException failure) {
        return String.valueOf(failure.getMessage()).contains(words);
    }

    /**
     * Returns the failure of a process that is refused by {@link #OTHER_WORLD} or {@link #OTHER_LAYOUT}.
     *
     * @param rank that refuses
     */
    public LayoutMismatchException mismatch(int rank) {
        return new LayoutMismatchException(words, "", rank,
                this == OTHER_WORLD ? Mismatch.WORLD_OF_PROCESS : Mismatch.VERSION_OF_PROCESS);
    }

    /** Returns what is wrong, and what to change. */
    public String words() {
        return words;
    }
}
