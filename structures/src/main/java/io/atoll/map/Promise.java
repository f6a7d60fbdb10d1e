package io.atoll.map;

/**
 * What a caller promises about the operations that run at the same time as its own, so that a cheaper way is right (BCL, section 7). A promise that
 * is broken makes results wrong, not memory; {@link DistributedMap.Builder#checkedPromises} finds such.
 */
public final class Promise {

    private static final Promise NOTHING = new Promise(false);
    private static final Promise ONLY_FINDS = new Promise(true);

    private final boolean onlyFinds;

    private Promise(boolean onlyFinds) {
        this.onlyFinds = onlyFinds;
    }

    /** Anyone may do anything. */
    public static Promise nothing() {
        return NOTHING;
    }

    /** Between the barriers before and after, all ranks only find. */
    public static Promise onlyFinds() {
        return ONLY_FINDS;
    }

    boolean isOnlyFinds() {
        return onlyFinds;
    }
}
