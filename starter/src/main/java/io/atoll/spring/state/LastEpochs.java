package io.atoll.spring.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the reclamation of objects stood when the answering rank looked last.
 *
 * @param state as it was seen; the managers of the answering process alone are shown as they are now
 * @param ageMillis how long ago it was seen; null if it has not been used, or not been seen yet
 * @param unread ranks that have joined and could not be read, in their order: they are shown as they were seen before
 * @param overdue why it is older than usual: the look under way waits for a rank that does not answer; else null
 */
public record LastEpochs(EpochState state, @Nullable Long ageMillis, List<Integer> unread, @Nullable String overdue) {}
