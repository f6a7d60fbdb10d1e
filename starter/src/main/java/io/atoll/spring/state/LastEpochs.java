package io.atoll.spring.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the reclamation of objects at the answering rank's last look.
 *
 * @param state the state as it was seen. Managers that only the answering process has are shown as they are now
 * @param ageMillis how long ago it was seen; null if reclamation has not been used, or not been seen yet
 * @param unread the ranks that have joined and could not be read, in their order. They are shown as they were seen
 * before
 * @param overdue why the state is older than usual: the look under way waits for a rank that does not answer; else null
 */
public record LastEpochs(EpochState state, @Nullable Long ageMillis, List<Integer> unread, @Nullable String overdue) {}
