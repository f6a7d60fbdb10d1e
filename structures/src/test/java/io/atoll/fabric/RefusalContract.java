package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.failure.RankUnreachableException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That mistakes and absent ranks are named and do no harm. */
interface RefusalContract extends ConcurrentRanks {

    /** Each verb by itself, and in a batch. */
    private static void eachVerb(Fabric fabric, int target, long offset, Consumer<Runnable> check) {
        check.accept(() -> fabric.readWord(target, offset));
        check.accept(() -> fabric.read(target, offset, words(64), 0, 64));
        check.accept(() -> fabric.writeWord(target, offset, 1));
        check.accept(() -> fabric.write(target, offset, words(64), 0, 64));
        check.accept(() -> fabric.compareAndExchange(target, offset, 0, 1));
        check.accept(() -> fabric.getAndAdd(target, offset, 1));
        check.accept(() -> fabric.getAndBitwiseOr(target, offset, 1));
        List<Consumer<Batch>> verbs = List.of(batch -> batch.read(target, offset, 0, 64),
                batch -> batch.write(target, offset, 0, 64), batch -> batch.writeWord(target, offset, 1),
                batch -> batch.compareAndExchange(target, offset, 0, 1), batch -> batch.getAndAdd(target, offset, 1));
        for (Consumer<Batch> verb : verbs) {
            check.accept(() -> {
                Batch batch = fabric.batch();
                verb.accept(batch);
                batch.complete();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void whatLiesOutsideOfASegmentIsRefused(int target) throws Exception {
        long size = fabric(target).local().size();
        together(at(0, fabric -> {
            for (long offset : new long[]{-8, size, size + 8, 1L << 40}) {
                eachVerb(fabric, target, offset,
                        verb -> assertThatThrownBy(verb::run).isInstanceOf(IndexOutOfBoundsException.class));
            }
            assertThatThrownBy(() -> fabric.read(target, size - 8, words(64), 0, 16))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> fabric.write(target, size - 512, words(1024), 0, 520))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(fabric.readWord(target, size - 8)).isZero();
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void whatLiesOutsideOfTheCallersMemoryIsRefused(int target) throws Exception {
        together(at(0, fabric -> {
            List<Consumer<Batch>> verbs = List.of(
                    batch -> batch.read(target, line(0), batch.buffer().byteSize() - 8, 16),
                    batch -> batch.write(target, line(0), batch.buffer().byteSize() - 8, 16),
                    batch -> fabric.read(target, line(0), words(64), 56, 16),
                    batch -> fabric.write(target, line(0), words(64), 56, 16));
            for (Consumer<Batch> verb : verbs) {
                assertThatThrownBy(() -> {
                    Batch batch = fabric.batch();
                    verb.accept(batch);
                    batch.complete();
                }).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void whatIsNotAlignedIsRefused(int target) throws Exception {
        together(at(0, fabric -> {
            eachVerb(fabric, target, line(0) + 4,
                    verb -> assertThatThrownBy(verb::run).isInstanceOf(IllegalArgumentException.class));
            assertThatThrownBy(() -> fabric.read(target, line(0), words(64), 0, 12))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fabric.write(target, line(0), words(64), 0, 12))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(fabric.readWord(target, line(0))).isZero();
        }));
    }

    @Test
    default void aRankThatIsNotThereIsNamed() throws Exception {
        together(at(0, fabric -> {
            Consumer<Runnable> check = verb -> assertThatThrownBy(verb::run)
                    .isInstanceOfSatisfying(RankUnreachableException.class,
                            failure -> assertThat(failure.rank()).isEqualTo(absentRank()));
            eachVerb(fabric, absentRank(), line(0), check);
            check.accept(() -> fabric.flush(absentRank()));
        }));
    }

    @Test
    default void aBatchCanBeUsedAgainAfterAFailure() throws Exception {
        together(at(0, fabric -> {
            for (int i = 0; i < 2 * Batch.ATOMICS; i++) {
                assertThatThrownBy(() -> {
                    Batch batch = fabric.batch();
                    batch.getAndAdd(1, line(0), 1);
                    batch.getAndAdd(absentRank(), line(0), 1);
                    batch.complete();
                }).isInstanceOf(RankUnreachableException.class);
            }
            Batch batch = fabric.batch();
            int first = batch.getAndAdd(1, line(1), 1);
            batch.complete();
            assertThat(first).isZero();
            assertThat(batch.result(first)).isZero();
        }));
    }
}
