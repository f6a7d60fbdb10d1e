package io.atoll.fabric;

/** An {@link Error} at one of the verbs of an operation, counted from 1, before it is executed or after. */
public final class InjectedErrors implements InterposedFabric.Interposed {

    /** Memory that was missing at one moment, say. */
    public static final class InjectedError extends Error {

        private static final long serialVersionUID = 1L;
    }

    private final boolean isAfter;
    private long left;
    private Runnable atExchange = () -> {};

    public InjectedErrors(boolean isAfter) {
        this.isAfter = isAfter;
    }

    /** Does something before each exchange of the operation that fails next. */
    public void atExchange(Runnable action) {
        atExchange = action;
    }

    /** Returns whether the operation has failed, as it was made to at that verb. */
    public boolean failsAt(long verb, Runnable operation) {
        left = verb;
        try {
            operation.run();
            return false;
        } catch (InjectedError error) {
            return true;
        } finally {
            left = 0;
        }
    }

    private void count() {
        if (left > 0 && --left == 0) {
            throw new InjectedError();
        }
    }

    @Override
    public void before(String verb) {
        if (verb.equals("compareAndExchange")) {
            atExchange.run();
        }
        if (!isAfter) {
            count();
        }
    }

    @Override
    public void after(String verb) {
        if (isAfter) {
            count();
        }
    }
}
