package io.atoll.state;

/**
 * Something that has happened at a rank.
 *
 * @param rank that has written it down
 * @param sequence of this rank's events, from 1
 * @param ageMillis how long ago
 * @param kind such as joined, lost, refused, repaired, lock-recovered, grown, moved, stranded, removed, rejoined or view
 * @param subject the rank that it is about; -1 where it is about none
 * @param text the rest in words
 */
public record RankEvent(int rank, long sequence, long ageMillis, String kind, int subject, String text) {}
