package io.atoll.state;

import io.atoll.collective.log.CollectiveLog;
import io.atoll.collective.log.Tally;
import java.util.List;

/**
 * The collectives that the answering rank has begun.
 *
 * @param running those that are under way, the longest first; a broadcast is until its root knows that all have it
 * @param kinds of collectives, in the order of names and operations
 */
public record CollectivesState(List<RunningCollective> running, List<CollectiveKind> kinds) {

    /**
     * @param name of the window or exchange
     * @param operation such as broadcast or allReduce
     * @param members of its team
     * @param bytes that this rank hands over, or receives
     * @param thread that has begun it
     * @param sinceMillis for how long
     */
    public record RunningCollective(String name, String operation, int members, long bytes, String thread,
            long sinceMillis) {

        static RunningCollective of(CollectiveLog.Running running) {
            return new RunningCollective(running.name(), running.operation(), running.members(), running.bytes(),
                    running.thread(), running.since().toMillis());
        }
    }

    /**
     * @param name of the window or exchange
     * @param operation such as broadcast or allReduce
     * @param finished that came to their end
     * @param failed that did not, since a member was lost or a thread was interrupted
     * @param bytes that this rank handed over, or received, in those that have finished
     * @param meanNanos time of those that have finished, 0 if none has
     * @param longestNanos of those times
     */
    public record CollectiveKind(String name, String operation, long finished, long failed, long bytes,
            long meanNanos, long longestNanos) {

        static CollectiveKind of(Tally tally) {
            return new CollectiveKind(tally.name(), tally.operation(), tally.finished(), tally.failed(), tally.bytes(),
                    tally.total().toNanos() / Math.max(1, tally.finished()), tally.longest().toNanos());
        }
    }

    static CollectivesState of(CollectiveLog log) {
        return new CollectivesState(log.running().stream().map(RunningCollective::of).toList(),
                log.tallies().stream().map(CollectiveKind::of).toList());
    }
}
