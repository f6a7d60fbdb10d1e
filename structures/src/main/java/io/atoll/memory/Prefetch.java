package io.atoll.memory;

/**
 * Loads of words that nobody needs yet, one for each of many keys or verbs. The processor waits for many of them at
 * once. What then needs the words one after the other finds them in the cache. This is group prefetching (Chen,
 * Ailamaki, Gibbons, Mowry, "Improving Hash Join Performance through Prefetching", ICDE 2004).
 *
 * <p>That works only if the loop of the loads has few instructions for each: those of one load must not fill the
 * processor's window. The JDK has no instruction for it, so the words are loaded and added.
 */
public final class Prefetch {

    /** With fewer, a loop of its own costs more than it saves. */
    public static final int FEWEST = 4;

    /** The lines of so many fit into the first cache, with all else. */
    public static final int MOST = 64;

    private static final long NO_SUM = 0x5bd1e9955bd1e995L;

    private Prefetch() {}

    /** Takes the sum of all words that were loaded, so that HotSpot keeps the loads. */
    public static void keep(long sum) {
        if (sum == NO_SUM) {
            Thread.onSpinWait();
        }
    }
}
