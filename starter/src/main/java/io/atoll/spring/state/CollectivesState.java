package io.atoll.spring.state;

import io.atoll.collective.CollectiveCounts;
import io.atoll.collective.CollectiveLog;
import java.util.List;
import java.util.function.Function;

/**
 * The collectives that the answering rank has begun.
 *
 * @param running the collectives that are under way, the longest first. A broadcast is under way until its root knows
 * that all members have it
 * @param kinds the kinds of collectives, in the order of names and operations
 */
public record CollectivesState(List<RunningCollective> running, List<CollectiveKind> kinds) {

    /**
     * @param name the name of the window or exchange
     * @param operation such as broadcast or allReduce
     * @param members the number of members of its team
     * @param bytes the bytes that this rank hands over, or receives
     * @param thread the thread that has begun it
     * @param sinceMillis how long it has been running
     * @param late the ranks that the others wait for; empty if it has been under way for less than 100 ms
     */
    public record RunningCollective(String name, String operation, int members, long bytes, String thread,
            long sinceMillis, List<LateRank> late) {

        static RunningCollective of(CollectiveLog.Running running, List<LateRank> late) {
            return new RunningCollective(running.name(), running.operation(), running.members(), running.bytes(),
                    running.thread(), running.since().toMillis(), late);
        }
    }

    /**
     * @param name the name of the window or exchange
     * @param operation such as broadcast or allReduce
     * @param finished the number of collectives that came to their end
     * @param failed the number of collectives that did not, since a member was lost or a thread was interrupted
     * @param bytes the bytes that this rank handed over, or received, in finished collectives
     * @param meanNanos the mean duration of finished collectives, 0 if there are none
     * @param longestNanos the longest of these durations
     * @param histogram these durations, the shortest first; empty if no collective has finished
     */
    public record CollectiveKind(String name, String operation, long finished, long failed, long bytes,
            long meanNanos, long longestNanos, List<DurationRange> histogram) {

        static CollectiveKind of(CollectiveCounts tally) {
            return new CollectiveKind(tally.name(), tally.operation(), tally.finished(), tally.failed(), tally.bytes(),
                    tally.total().toNanos() / Math.max(1, tally.finished()), tally.longest().toNanos(),
                    tally.durations().ranges().stream().map(DurationRange::of).toList());
        }
    }

    /**
     * A rank that has not reached the point where the others wait for it.
     *
     * @param sinceMillis how long the answering rank has waited for it
     */
    public record LateRank(int rank, long sinceMillis) {

        static LateRank of(CollectiveLog.Late late) {
            return new LateRank(late.rank(), late.since().toMillis());
        }
    }

    /** @param upToNanos the longest duration that is counted here; the durations of the range before are shorter */
    public record DurationRange(long upToNanos, long count) {

        static DurationRange of(CollectiveCounts.Durations.Range range) {
            return new DurationRange(range.upToNanos(), range.count());
        }
    }

    /** @param late returns the late ranks of a collective that is under way */
    static CollectivesState of(CollectiveLog log, Function<CollectiveLog.Running, List<LateRank>> late) {
        return new CollectivesState(
                log.running().stream().map(each -> RunningCollective.of(each, late.apply(each))).toList(),
                log.counts().stream().map(CollectiveKind::of).toList());
    }
}
