package io.atoll.failure;

/**
 * This process takes part in its world no more: the others count it as ended, and may repair what it had under way. It
 * must not touch their memory again, so every later operation fails with this exception. An operation that has failed
 * may or may not have taken effect. If {@link #refusal} has the reason {@link JoinRefusedException.Reason#REMOVED}, the
 * process joins again by itself as a newcomer, unless this is turned off. Operations work again then. Locks and tokens
 * from before are lost. For any other reason it must be started anew.
 */
public final class FencedException extends FabricException {

    private static final long serialVersionUID = 1L;

    /** @param refusal how this process has learnt of it */
    public FencedException(JoinRefusedException refusal, String verb, int rank, long offset) {
        super(advice(refusal), "reason=[" + refusal.getMessage() + "]", verb, rank,
                offset);
        initCause(refusal);
    }

    private static String advice(JoinRefusedException refusal) {
        return refusal.reason() == JoinRefusedException.Reason.REMOVED
                ? "the other ranks have removed this process from the world,"
                        + " repeat the operation when it has joined again"
                : "this process takes part no more, start it anew";
    }

    /** Returns why this process takes part no more. */
    public JoinRefusedException refusal() {
        return (JoinRefusedException) getCause();
    }
}
