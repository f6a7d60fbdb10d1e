package io.atoll.failure;

import org.jspecify.annotations.Nullable;

/**
 * This process may not take part in the world, or not any more. If it was refused at the start, nothing of it is left
 * behind.
 */
public final class JoinRefusedException extends AtollException {

    private static final long serialVersionUID = 1L;

    /** The reason, for code that explains it to a user. */
    public enum Reason {
        /** A living process holds the rank. */
        RANK_TAKEN,
        /**
         * The configuration gives this process no rank, and processes of other hosts cannot see which ranks are free.
         */
        RANK_UNKNOWN,
        /** The rank was this process's and is so no more: its files were removed, or another process has taken it. */
        RANK_LOST,
        /**
         * The other ranks have declared this one dead while it lived, since they did not hear it. Or they have met a
         * later life of it, of which it has no memory.
         */
        REMOVED,
        /** The rank has been started as often as a rank can be. */
        INCARNATIONS_SPENT,
        /** The members found belong to a world of another name. */
        OTHER_WORLD,
        /** The members found count another number of ranks. */
        OTHER_SIZE,
        /** The members found lay out their segments differently. */
        OTHER_LAYOUT_VERSION,
        /** The members found know another secret. */
        OTHER_SECRET,
        /** The segment's file belongs to another user. */
        OTHER_USER,
        /** The requested memory is not available. */
        NO_SPACE,
        /** Memory must be locked for a device, and this process may not lock as much. */
        LOCKED_MEMORY,
        /** There is no RDMA device, or the software to use it is not installed. */
        NO_RDMA_DEVICE,
        /** The RDMA device has no atomics. */
        NO_RDMA_ATOMICS,
        /** The address or the port to listen at is not available. */
        ADDRESS_UNAVAILABLE,
        /** The address that other ranks would receive leads none of them here, or there is no address to give them. */
        UNREACHABLE,
        /** Other hosts would reach the segment, and the configuration does not say which of them are let in. */
        UNSECURED,
        /** The fabric cannot be used on this machine or with these settings. */
        FABRIC_UNAVAILABLE,
        /** The membership cannot be used on this machine or with these settings. */
        MEMBERSHIP_UNAVAILABLE
    }

    private final Reason reason;

    public JoinRefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public JoinRefusedException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
