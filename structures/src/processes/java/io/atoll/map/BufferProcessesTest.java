package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks fill a map by buffers. One of them is killed by force, again and again, wherever it is at that moment. */
@Tag("processes")
class BufferProcessesTest {

    private static final int SURVIVOR = 1;
    private static final int MORTAL = BufferFiller.RANKS - 1;
    private static final int KILLS = 8;

    /**
     * The longest time that the news of a death may take: each rank looks ten times a second. It is much less than an
     * operation waits for a rank that lives.
     */
    private static final Duration DETECTION = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void nobodyWaitsForTheDeadAndWhatWasFlushedOrInsertedByTheLivingIsThere() throws Exception {
        try (BufferFiller self = new BufferFiller(folder, 0); ChildProcess survivor = start(SURVIVOR, 1)) {
            self.start();
            for (int life = 1; life <= KILLS; life++) {
                try (ChildProcess mortal = start(MORTAL, life)) {
                    awaitFlushes(self, life, life);
                    killAndAwaitTheNews(self, mortal);
                }
            }
            try (ChildProcess last = start(MORTAL, KILLS + 1)) {
                awaitFlushes(self, KILLS + 1, 1);
                self.end();
                self.join();
                assertThat(survivor.ask("end")).isEqualTo("ended");
                assertThat(last.ask("end")).isEqualTo("ended");
                check(self);
            }
        }
    }

    private ChildProcess start(int rank, int life) {
        ChildProcess process = ChildProcess.start(BufferProgram.class);
        assertThat(process.ask("fill " + folder + " " + rank)).isEqualTo("" + life);
        return process;
    }

    private static void awaitFlushes(BufferFiller self, int life, int flushes) {
        awaitSoon(PATIENCE, () -> self.flushed(MORTAL, life) >= flushes * BufferFiller.KEYS_OF_A_FLUSH);
    }

    private static void killAndAwaitTheNews(BufferFiller self, ChildProcess mortal) {
        long before = self.told(0);
        long survivorBefore = self.told(SURVIVOR);
        mortal.kill();
        awaitSoon(DETECTION, () -> self.told(0) > before && self.told(SURVIVOR) > survivorBefore);
    }

    private static void awaitSoon(Duration atMost, Callable<Boolean> event) {
        await().atMost(atMost).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(event);
    }

    private static void check(BufferFiller self) {
        Map<Integer, BitSet> numbersOfLives = new HashMap<>();
        self.map().forEach((key, value) -> {
            assertThat(value).isEqualTo(-key);
            BitSet numbers = numbersOfLives.computeIfAbsent(BufferFiller.life(key), _ -> new BitSet());
            int number = (int) BufferFiller.number(key);
            assertThat(numbers.get(number)).as("twice: key=" + key).isFalse();
            numbers.set(number);
        });
        assertThat(numbersOfLives).hasSize(2 + KILLS + 1);
        check(numbersOfLives, self, 0, 1, 0);
        check(numbersOfLives, self, SURVIVOR, 1, 0);
        check(numbersOfLives, self, MORTAL, KILLS + 1, 0);
        for (int life = 1; life <= KILLS; life++) {
            check(numbersOfLives, self, MORTAL, life, BufferFiller.KEYS_OF_A_FLUSH);
        }
    }

    /** Checks that everything up to the last flush that has returned is there, and nothing that was not inserted. */
    private static void check(Map<Integer, BitSet> numbersOfLives, BufferFiller self, int rank, int life, long more) {
        BitSet numbers = numbersOfLives.get(BufferFiller.life(rank, life));
        long flushed = self.flushed(rank, life);
        assertThat(numbers.nextClearBit(0)).as("of rank " + rank + " in its life " + life)
                .isGreaterThanOrEqualTo((int) flushed);
        assertThat(numbers.length()).isLessThanOrEqualTo((int) (flushed + more));
    }
}
