package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests threads of both kinds that share lanes: none waits for ever, and each gets its own answers. */
@Timeout(240)
@ParameterizedClass
@ValueSource(booleans = {false, true})
@Tag("network")
class TcpThreadsTest {

    private static final long WORD = TcpRanks.FREE;

    @Parameter
    private boolean isEncrypted;

    private TcpRanks ranks;
    private Fabric fabric;

    @BeforeEach
    void attach(@TempDir Path folder) {
        ranks = new TcpRanks(folder, tcp -> isEncrypted
                ? Encrypted.settings(tcp)
                : tcp);
        fabric = ranks.fabric(0);
    }

    @AfterEach
    void detach() {
        ranks.close();
    }

    /** The action of one of several threads. */
    private interface Work {
        void run(int number) throws Exception;
    }

    private static void together(ExecutorService executor, int threads, Work work) throws Exception {
        try (executor) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running.add(executor.submit(() -> {
                    work.run(number);
                    return true;
                }));
            }
            for (Future<?> each : running) {
                each.get(200, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void manyVirtualThreadsHaveTheirAnswers() throws Exception {
        int threads = 2_000;
        together(Executors.newVirtualThreadPerTaskExecutor(), threads, number -> {
            fabric.getAndAdd(1, WORD, 1);
            fabric.writeWord(1, WORD + 64 + 8L * (number % 1_000), number);
            Batch batch = fabric.batch();
            batch.getAndAdd(1, WORD, 1);
            batch.complete();
        });
        assertThat(ranks.fabric(1).local().getVolatile(WORD)).isEqualTo(2L * threads);
    }

    @Test
    void threadsOfBothKindsWakeEachOther() throws Exception {
        int rounds = 300;
        Work adding = _ -> {
            for (int round = 0; round < rounds; round++) {
                fabric.getAndAdd(1, WORD, 1);
            }
        };
        try (ExecutorService platform = Executors.newSingleThreadExecutor()) {
            Future<?> together = platform.submit(() -> {
                together(Executors.newFixedThreadPool(3), 3, adding);
                return true;
            });
            together(Executors.newVirtualThreadPerTaskExecutor(), 5, adding);
            together.get(200, TimeUnit.SECONDS);
        }
        assertThat(ranks.fabric(1).local().getVolatile(WORD)).isEqualTo(8L * rounds);
    }

    @Test
    void eachThreadReadsWhatItHasWrittenItself() throws Exception {
        together(Executors.newFixedThreadPool(6), 6, number -> {
            long offset = WORD + 8L * number;
            for (int round = 1; round <= 300; round++) {
                fabric.writeWord(1, offset, round * 10L + number);
                assertThat(fabric.readWord(1, offset)).isEqualTo(round * 10L + number);
            }
        });
    }

    /** Any thread may read the answer, also one that cannot write to that memory. */
    @Test
    void memoryThatOnlyItsThreadMayUseIsReadInto() throws Exception {
        fabric.writeWord(1, WORD, 7);
        fabric.flush(1);
        together(Executors.newFixedThreadPool(6), 6, _ -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment target = arena.allocate(64, 8);
                for (int round = 0; round < 200; round++) {
                    target.fill((byte) 0);
                    fabric.read(1, WORD, target, 0, 64);
                    assertThat(target.get(JAVA_LONG, 0)).isEqualTo(7);
                }
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> fabric.read(1, WORD, target.asReadOnly(), 0, 64));
            }
        });
    }

    /**
     * Both sides send more than sockets hold. If one side stopped sending until the other side reads, both would wait
     * for ever.
     */
    @Test
    void largeTransfersInBothDirectionsDoNotBlockEachOther() throws Exception {
        int bytes = 100 << 10;
        MemorySegment source = MemorySegment.ofArray(new long[bytes / 8]);
        for (int word = 0; word < bytes / 8; word++) {
            source.setAtIndex(JAVA_LONG, word, word);
        }
        fabric.write(1, WORD, source, 0, bytes);
        together(Executors.newFixedThreadPool(4), 4, number -> {
            MemorySegment target = MemorySegment.ofArray(new long[bytes / 8]);
            for (int round = 0; round < 20; round++) {
                for (int repeat = 0; repeat < 8; repeat++) {
                    fabric.write(1, WORD, source, 0, bytes);
                }
                fabric.read(1, WORD, target, 0, bytes);
                assertThat(target.mismatch(source)).isEqualTo(-1);
            }
        });
    }

    @Test
    void aBatchOfMoreThanAFrameHasAllItsResults() {
        Batch batch = fabric.newBatch(1 << 20);
        for (int word = 0; word < 10_000; word++) {
            batch.writeWord(1, WORD + 8L * word, word);
        }
        for (int word = 0; word < 10_000; word++) {
            batch.read(1, WORD + 8L * word, 64L * word, 64);
        }
        batch.complete();
        for (int word = 0; word < 10_000; word++) {
            assertThat(batch.word(64L * word)).isEqualTo(word);
        }
        batch.close();
    }

    @Test
    void postedBatchesThatNobodyWaitsForDoNotKeepOthersFromTheirAnswers() {
        List<Batch> posted = new ArrayList<>();
        for (int index = 0; index < 2_000; index++) {
            Batch batch = fabric.newBatch(64);
            batch.getAndAdd(1, WORD, 1);
            batch.post();
            posted.add(batch);
        }
        assertThat(fabric.getAndAdd(1, WORD, 0)).isEqualTo(2_000);
        for (int index = 0; index < posted.size(); index++) {
            posted.get(index).complete();
            assertThat(posted.get(index).result(0)).isEqualTo(index);
        }
    }
}
