package io.atoll.history;

/**
 * The process that has written a history last. Another process of the rank may have written its older points.
 *
 * @param host the name that the host gives itself, cut off after 64 bytes of UTF-8
 * @param pid what that host's kernel calls the process
 * @param version of Atoll, cut off after 40 bytes of UTF-8; empty where the classes lie in no archive
 * @param startedMillis when the process was started, in milliseconds since 1970
 */
public record RankIdentity(String host, long pid, String version, long startedMillis) {}
