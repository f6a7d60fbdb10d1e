package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** When a write has arrived, for everyone: flushes, completions, and what a later verb of its thread implies. */
interface ArrivalContract extends ConcurrentRanks {

    interface Finish {
        void finish(Fabric fabric);
    }

    private void hasArrivedAfter(Finish finish) throws Exception {
        var meeting = new Meeting(2);
        together(at(0, fabric -> {
            for (long round = 1; round <= rounds(); round++) {
                fabric.writeWord(1, line(0), round);
                finish.finish(fabric);
                meeting.await(fabric);
                meeting.await(fabric);
            }
        }), at(1, fabric -> {
            for (long round = 1; round <= rounds(); round++) {
                meeting.await(fabric);
                assertThat(fabric.readWord(1, line(0))).isEqualTo(round);
                meeting.await(fabric);
            }
        }));
    }

    @Test
    default void aFlushedWriteHasArrived() throws Exception {
        hasArrivedAfter(fabric -> fabric.flush(1));
        hasArrivedAfter(Fabric::flush);
    }

    @Test
    default void aWriteHasArrivedWhenALaterAtomicReturned() throws Exception {
        hasArrivedAfter(fabric -> fabric.getAndAdd(1, line(5), 1));
    }

    @Test
    default void aWriteHasArrivedWhenALaterReadReturned() throws Exception {
        assumeTrue(readsWaitForWrites());
        hasArrivedAfter(fabric -> fabric.readWord(1, line(5)));
    }

    @Test
    default void aWriteOfABatchHasArrivedWhenTheBatchIsComplete() throws Exception {
        hasArrivedAfter(fabric -> {
            Batch batch = fabric.batch();
            batch.writeWord(1, line(5), 1);
            batch.complete();
        });
    }

    @Test
    default void aFlushWaitsForTheWritesOfOtherThreadsToo() throws Exception {
        var written = new AtomicBoolean();
        together(at(0, fabric -> {
            fabric.writeWord(1, line(0), 5);
            written.set(true);
        }), at(0, fabric -> {
            await(fabric, written::get);
            fabric.flush(1);
            assertThat(fabric(0).readWord(1, line(0))).isEqualTo(5);
        }));
    }
}
