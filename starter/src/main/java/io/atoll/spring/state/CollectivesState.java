package io.atoll.spring.state;

import io.atoll.collective.CollectiveLog;
import io.atoll.collective.Durations;
import io.atoll.collective.Tally;
import java.util.List;
import java.util.function.Function;

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
     * @param late ranks that have not come to where the others wait; empty where it is under way for less than 100 ms
     */
    public record RunningCollective(String name, String operation, int members, long bytes, String thread,
            long sinceMillis, List<LateRank> late) {

        static RunningCollective of(CollectiveLog.Running running, List<LateRank> late) {
            return new RunningCollective(running.name(), running.operation(), running.members(), running.bytes(),
                    running.thread(), running.since().toMillis(), late);
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
     * @param histogram of those times, the shortest first; empty if none has finished
     */
    public record CollectiveKind(String name, String operation, long finished, long failed, long bytes,
            long meanNanos, long longestNanos, List<DurationRange> histogram) {

        static CollectiveKind of(Tally tally) {
            return new CollectiveKind(tally.name(), tally.operation(), tally.finished(), tally.failed(), tally.bytes(),
                    tally.total().toNanos() / Math.max(1, tally.finished()), tally.longest().toNanos(),
                    tally.durations().ranges().stream().map(DurationRange::of).toList());
        }
    }

    /**
     * A rank that has not come to where the others wait for it.
     *
     * @param sinceMillis for how long the answering rank has waited for it
     */
    public record LateRank(int rank, long sinceMillis) {

        static LateRank of(CollectiveLog.Late late) {
            return new LateRank(late.rank(), late.since().toMillis());
        }
    }

    /** @param upToNanos the longest that is counted here; those of the range before are shorter */
    public record DurationRange(long upToNanos, long count) {

        static DurationRange of(Durations.Range range) {
            return new DurationRange(range.upToNanos(), range.count());
        }
    }

    /** @param late of each that is under way */
    static CollectivesState of(CollectiveLog log, Function<CollectiveLog.Running, List<LateRank>> late) {
        return new CollectivesState(
                log.running().stream().map(each -> RunningCollective.of(each, late.apply(each))).toList(),
                log.tallies().stream().map(CollectiveKind::of).toList());
    }
}
