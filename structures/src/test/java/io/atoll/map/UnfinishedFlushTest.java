package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.TableFullException;
import io.atoll.world.Participant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what remains of a flush that was interrupted, or that a rank has left. Also tests what later flushes do then.
 */
class UnfinishedFlushTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Timeout(30)
    void aFlushThatWasInterruptedGoesOnAtTheBarrierWhereItWas(int interruptedAt) throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            long[] own = LongStream.range(0, 100).filter(key -> map.owner(key) == 0).limit(2).toArray();
            buffer.putIfAbsent(own[0], 1L);
            Flush flush = new Flush(buffer);
            Flush again = new Flush(buffer);
            Participant other = worlds.rank(1).participant();
            flush.thread.start();
            flushWithNothing(other, barrier -> {
                if (barrier == interruptedAt) {
                    flush.interruptAfter(other.lastBarrier(), worlds.rank(0).participant());
                    buffer.putIfAbsent(own[1], 2L);
                    again.thread.start();
                }
            });
            again.end.get();
            assertThat(map.get(own[0])).isEqualTo(1);
            assertThat(buffer.staged()).as("for the next one").isOne();

            Flush next = new Flush(buffer);
            next.thread.start();
            flushWithNothing(other, _ -> {});
            next.end.get();
            assertThat(map.get(own[1])).isEqualTo(2);
        }
    }

    @Test
    @Timeout(30)
    void whatHasFailedInAFlushThatWasInterruptedIsToldByTheOneThatGoesOn() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            DistributedMap<Long, Long> map = worlds.rank(0).map("map", Long.class, Long.class).fixedCapacity(3).open();
            HashMapBuffer<Long, Long> buffer = map.buffer(100, 100);
            int inQueue = (1 + 2) * 100;
            LongStream.iterate(0, key -> key + 1)
                    .filter(key -> map.owner(key) == 1)
                    .limit(inQueue + map.buckets())
                    .forEach(key -> buffer.putIfAbsent(key, -key));
            Flush flush = new Flush(buffer);
            Flush again = new Flush(buffer);
            Participant other = worlds.rank(1).participant();
            flush.thread.start();
            flushWithNothing(other, barrier -> {
                if (barrier == 1) {
                    flush.interruptAfter(other.lastBarrier(), worlds.rank(0).participant());
                    again.thread.start();
                }
            });
            assertThatThrownBy(again.end::get).hasCauseInstanceOf(TableFullException.class);
        }
    }

    @Test
    void aFlushThatWasInterruptedBeforeItBeganBeginsWhenItIsCalledAgain() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            buffer.putIfAbsent(1L, 2L);
            Thread.currentThread().interrupt();
            assertThatThrownBy(buffer::flush).isInstanceOf(InterruptedException.class);
            buffer.flush();
            assertThat(map.get(1L)).isEqualTo(2);
        }
    }

    /**
     * Flushes as a rank does that has inserted nothing and receives nothing.
     *
     * @param before runs before each of the two barriers, and may take some time
     */
    private static void flushWithNothing(Participant rank, IntConsumer before) throws InterruptedException {
        rank.together(UnfinishedFlushTest.class, steps -> {
            for (int barrier = 1; barrier <= 2; barrier++) {
                before.accept(barrier);
                steps.pass();
            }
        });
    }

    /** A flush that runs in a thread of its own. */
    private static final class Flush {

        private final FutureTask<Void> end;
        private final Thread thread;

        Flush(HashMapBuffer<Long, Long> buffer) {
            end = new FutureTask<>(() -> {
                buffer.flush();
                return null;
            });
            thread = Thread.ofPlatform().daemon().unstarted(end);
        }

        void interruptAfter(long barrier, Participant rank) {
            await().until(() -> rank.lastBarrier() == barrier);
            thread.interrupt();
            assertThatThrownBy(end::get).hasCauseInstanceOf(InterruptedException.class);
        }
    }

    @Test
    @Timeout(60)
    void whatCannotBeSentIsStagedUpToWhatTheQueuesHaveRoomForAndThenRefused() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1_000);
            HashMapBuffer<Long, Long> buffer = maps.get(0).buffer(20, 4);
            leaveInTheMiddleOf(new Flush(buffer), worlds.rank(1));
            List<Long> taken = insertUntilRefused(buffer, 0);

            HashMapBuffer<Long, Long> other = restarted(worlds).buffer(20, 4);
            List<Long> takenByOther = insertUntilRefused(other, 1_000);
            List<HashMapBuffer<Long, Long>> buffers = List.of(buffer, other);
            Worlds.atOnce(2, rank -> () -> {
                buffers.get(rank).flush();
                return rank;
            });
            assertThat(taken).allSatisfy(key -> assertThat(maps.get(0).get(key)).isEqualTo(-key));
            assertThat(maps.get(0).size()).isEqualTo(taken.size() + takenByOther.size());
            LongStream.range(2_000, 2_200).forEach(key -> buffer.putIfAbsent(key, -key));
            assertThat(buffer.staged()).as("it is sent again").isLessThanOrEqualTo(2 * 4);
        }
    }

    /** Lets the other rank leave the flush. It has passed the first barrier, and has sent nothing. */
    private static void leaveInTheMiddleOf(Flush flush, World other) {
        flush.thread.start();
        assertThatThrownBy(() -> other.participant().together(UnfinishedFlushTest.class, steps -> {
            steps.pass();
            throw new InterruptedException("leaves");
        })).isInstanceOf(InterruptedException.class);
        other.close();
        assertThatThrownBy(flush.end::get).hasCauseInstanceOf(RankUnreachableException.class);
    }

    private static DistributedMap<Long, Long> restarted(Worlds worlds) {
        return worlds.restart(1).map("map", Long.class, Long.class).capacity(1_000).open();
    }

    @Test
    @Timeout(60)
    void aBufferThatIsOpenedAnewAfterAFlushThatHasFailedGoesOnWithWhatWasStaged() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1_000);
            leaveInTheMiddleOf(new Flush(maps.get(0).buffer(20, 4)), worlds.rank(1));
            LongStream.range(0, 30).forEach(key -> maps.get(0).buffer(20, 4).putIfAbsent(key, -key));
            assertThat(maps.get(0).buffer(20, 4).staged()).as("others may be in the middle of the flush").isEqualTo(30);
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> maps.get(0).buffer(21, 4))
                    .withMessageEndingWith(
                            "existing=[queueSize=20 messageSize=4 ranks=[0]]"
                                    + " asked=[queueSize=21 messageSize=4 rank=0]");

            DistributedMap<Long, Long> restarted = restarted(worlds);
            List<DistributedMap<Long, Long>> all = List.of(maps.get(0), restarted);
            Worlds.atOnce(2, rank -> () -> {
                all.get(rank).buffer(20, 4).flush();
                return rank;
            });
            assertThat(LongStream.range(0, 30)).allSatisfy(key -> assertThat(restarted.get(key)).isEqualTo(-key));
            assertThat(restarted.size()).isEqualTo(30);
        }
    }

    @Test
    @Timeout(60)
    void aTextThatIsLongerThanAMessageIsNotLostWhereItCannotBeSentAtOnce() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            worlds.rank(1).close();
            worlds.restart(1);
            List<DistributedMap<String, String>> maps = worlds.maps("texts", String.class, String.class, 100);
            List<String> keys = IntStream.range(0, 10).mapToObj(number -> "key " + number).toList();
            HashMapBuffer<String, String> restarted = maps.get(1).buffer(100, 10);
            keys.forEach(key -> restarted.putIfAbsent(key, "v".repeat(2_000)));
            assertThat(restarted.staged()).isEqualTo(keys.size());
            Worlds.atOnce(2, rank -> () -> {
                maps.get(rank).buffer(100, 10).flush();
                return rank;
            });
            assertThat(keys).allSatisfy(key -> assertThat(maps.get(0).get(key)).hasSize(2_000));
        }
    }

    private static List<Long> insertUntilRefused(HashMapBuffer<Long, Long> buffer, long first) {
        List<Long> taken = new ArrayList<>();
        assertThatIllegalStateException().isThrownBy(() -> {
            for (long key = first; key < first + 1_000; key++) {
                buffer.putIfAbsent(key, -key);
                taken.add(key);
            }
        })
                .withMessageContaining("flush, or pass a barrier")
                .satisfies(refusal -> assertThat(refusal).hasMessageEndingWith("staged=" + taken.size()));
        int ofAnOwner = (20 / 4 + 2) * 4;
        assertThat(taken).hasSizeBetween(ofAnOwner, 2 * ofAnOwner);
        return taken;
    }
}
