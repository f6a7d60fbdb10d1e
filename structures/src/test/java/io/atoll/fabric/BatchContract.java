package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That verbs of one batch take effect together, in their order, with their results. */
interface BatchContract extends ConcurrentRanks {

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void verbsOfABatchTakeEffectInTheirOrder(int target) throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.setWord(0, 5);
            batch.write(target, line(0), 0, 8);
            int added = batch.getAndAdd(target, line(0), 10);
            batch.read(target, line(0), 8, 8);
            int refused = batch.compareAndExchange(target, line(0), 5, 99);
            int exchanged = batch.compareAndExchange(target, line(0), 15, 20);
            batch.writeWord(target, line(1), 7);
            batch.read(target, line(0), 16, 8);
            batch.read(target, line(1), 24, 8);
            batch.complete();

            assertThat(List.of(added, refused, exchanged)).containsExactly(0, 1, 2);
            assertThat(batch.result(added)).isEqualTo(5);
            assertThat(batch.result(refused)).isEqualTo(15);
            assertThat(batch.result(exchanged)).isEqualTo(15);
            assertThat(batch.word(8)).isEqualTo(15);
            assertThat(batch.word(16)).isEqualTo(20);
            assertThat(batch.word(24)).isEqualTo(7);
        }));
    }

    @Test
    default void aBatchReachesSeveralRanks() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.writeWord(0, line(0), 10);
            batch.writeWord(1, line(0), 11);
            batch.read(0, line(0), 0, 8);
            batch.read(1, line(0), 8, 8);
            batch.complete();
            assertThat(batch.word(0)).isEqualTo(10);
            assertThat(batch.word(8)).isEqualTo(11);
        }));
    }

    @Test
    default void aCompletedBatchIsEmptyAndKeepsItsBuffer() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.complete();
            batch.setWord(32, 5);
            batch.getAndAdd(1, line(0), 1);
            batch.complete();
            batch.complete();
            assertThat(fabric.readWord(1, line(0))).as("completed once").isEqualTo(1);
            int next = batch.getAndAdd(1, line(0), 1);
            batch.complete();
            assertThat(next).isZero();
            assertThat(batch.result(next)).isEqualTo(1);
            assertThat(batch.word(32)).isEqualTo(5);
        }));
    }

    @Test
    default void aBatchHoldsAsManyAtomicsAndBytesAsItSays() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            assertThat(batch.buffer().byteSize()).isGreaterThanOrEqualTo(Batch.THREAD_BUFFER_BYTES);
            for (int i = 0; i < Batch.ATOMICS; i++) {
                batch.getAndAdd(1, line(i), i + 1);
            }
            batch.complete();
            for (int i = 0; i < Batch.ATOMICS; i++) {
                batch.getAndAdd(1, line(i), 0);
            }
            batch.complete();
            for (int i = 0; i < Batch.ATOMICS; i++) {
                assertThat(batch.result(i)).isEqualTo(i + 1);
            }
            assertThat(fabric.newBatch(100 << 10).buffer().byteSize()).isGreaterThanOrEqualTo(100 << 10);
        }));
    }

    @Test
    default void aPostedBatchIsDoneWhenItsPollSaysSo() throws Exception {
        together(at(0, fabric -> {
            List<Batch> underWay = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Batch batch = fabric.newBatch(64);
                batch.setWord(0, i);
                batch.write(1, line(i), 0, 8);
                batch.read(1, line(i), 8, 8);
                batch.getAndAdd(1, line(10), 1);
                batch.post();
                underWay.add(batch);
            }
            for (int i = 0; i < 4; i++) {
                Batch batch = underWay.get(i);
                await(fabric, batch::poll);
                assertThat(batch.word(8)).isEqualTo(i);
                assertThat(batch.result(0)).isEqualTo(i);
            }
            underWay.getFirst().writeWord(1, line(0), 77);
            underWay.getFirst().post();
            underWay.getFirst().complete();
            assertThat(fabric.readWord(1, line(0))).isEqualTo(77);
            underWay.forEach(Batch::close);
        }));
    }

    @Test
    default void everyThreadHasABatchOfItsOwn() throws Exception {
        var meeting = new Meeting(THREADS);
        List<Actor> actors = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int mine = thread + 1;
            actors.add(at(0, fabric -> {
                for (int i = 0; i < 10; i++) {
                    Batch batch = fabric.batch();
                    batch.setWord(0, mine);
                    meeting.await(fabric);
                    batch.write(1, line(mine), 0, 8);
                    batch.read(1, line(mine), 8, 8);
                    batch.complete();
                    assertThat(batch.word(8)).isEqualTo(mine);
                }
            }));
        }
        together(actors);
    }
}
