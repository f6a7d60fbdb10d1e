package io.atoll.failure;

/**
 * This process takes part in its world no more: the others count it as ended, and may repair what it had under way. It must not touch their
 * memory again, so every later operation fails like this until the process is started anew.
 */
public final class FencedException extends FabricException {

    private static final long serialVersionUID = 1L;

    /** @param refusal how this process has learnt of it */
    public FencedException(JoinRefusedException refusal, String verb, int rank, long offset) {
        super("this process takes part no more, start it anew", "reason=[" + refusal.getMessage() + "]", verb, rank,
                offset);
        initCause(refusal);
    }

    /** Why. */
    public JoinRefusedException refusal() {
        return (JoinRefusedException) getCause();
    }
}
