package io.atoll.history;

/**
 * The process that has written a history last. Another process of the rank may have written its older points. It is
 * {@link #UNKNOWN} if the process has not written its identity.
 *
 * @param host the name that the host gives itself, cut off after 64 bytes of UTF-8
 * @param pid the number that the host's kernel gives the process
 * @param version of Atoll, cut off after 40 bytes of UTF-8; empty if the classes lie in no archive
 * @param startedMillis when the process was started, in milliseconds since 1970
 */
public record RankIdentity(String host, long pid, String version, long startedMillis) {

    /** The identity of a process that died, or was removed, before it had written its identity. */
    public static final RankIdentity UNKNOWN = new RankIdentity("", 0, "", 0);
}
