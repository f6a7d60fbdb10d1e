package io.atoll.chaos.workload;

import io.atoll.array.LongArray;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reductions over all ranks, one after the other. This thread does nothing else at any rank. So each rank calls as
 * often as the others, whichever was restarted. Each rank contributes a larger number each time. A reduction is a
 * barrier, too: data that other ranks wrote before their calls is visible afterwards.
 */
final class ReductionWorkload extends Workload {

    private @Nullable LongArray written;
    // Under way while its call was interrupted.
    private long contribution;
    // The last contribution of each rank.
    private long[] last = {};

    ReductionWorkload(Scene scene, int thread) {
        super(scene, Structure.REDUCTION, thread);
    }

    @Override
    protected void open() {
        written = scene.world.longArray("written").length(scene.setting.size()).open();
        last = new long[scene.setting.size()];
    }

    @Override
    protected void step() throws Exception {
        LongArray words = written;
        if (words == null) {
            throw new IllegalStateException("not open");
        }
        int size = scene.setting.size();
        int self = scene.setting.rank();
        if (contribution == 0) {
            contribution = value();
            words.set(self, contribution);
            words.flush();
        }
        long[] values = new long[size + 1];
        values[self] = contribution;
        values[size] = contribution;
        boolean interrupted = false;
        try {
            record(Verb.OPEN, 1, contribution, 0, () -> {
                scene.world.allReduce(values, Long::sum);
                return 0;
            });
        } catch (InterruptedException interruption) {
            // The next call waits for the same reduction.
            interrupted = true;
            throw interruption;
        } finally {
            if (!interrupted) {
                contribution = 0;
            }
        }
        judge(words, values, self);
    }

    private void judge(LongArray words, long[] values, int self) throws Exception {
        long digest = Arrays.hashCode(values);
        long sum = 0;
        for (int rank = 0; rank < last.length; rank++) {
            long contributed = values[rank];
            sum += contributed;
            // With interrupts a contribution may be made again, to the ranks that are there then.
            if (!scene.setting.interrupts()) {
                note(Verb.SEE, contributed, digest, 0);
            }
            if (contributed < last[rank]) {
                find("REDUCTION brings what was brought before: rank=" + rank);
            }
            last[rank] = contributed;
            int other = rank;
            long seen = record(Verb.OPEN, 2, rank, 0, () -> words.get(other));
            if (seen < contributed) {
                find("REDUCTION ends before what was written has arrived: rank=" + rank);
            }
        }
        if (values[last.length] != sum) {
            find("REDUCTION has a wrong sum: of=" + self);
        }
    }

    @Override
    public void hurry() {
        interrupt();
    }
}
