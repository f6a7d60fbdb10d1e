package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Table 1 of the ALock paper. The owner of a word uses it by its CPU, another rank by the fabric. The table tells which
 * of these accesses are atomic with each other.
 * <pre>
 *                  remote read    remote write    remote update
 *   local read         -               yes             yes
 *   local write       yes              yes         where coherent
 *   local update      yes              yes         where coherent
 * </pre>
 */
interface CpuContract extends ConcurrentRanks {

    /** A word with equal halves. They stay equal as long as the word is added to itself and moves whole. */
    long BOTH_HALVES = 1L << 32 | 1;

    /** Runs both bodies at the same time. Rank 1 owns the word and uses it by the CPU. Rank 0 uses it by the fabric. */
    private void beside(Consumer<Fabric> byTheCpu, Consumer<Fabric> byTheFabric) throws Exception {
        together(at(1, byTheCpu::accept), at(0, byTheFabric::accept));
    }

    private void repeat(Consumer<Long> action) {
        for (long round = 1; round <= rounds(); round++) {
            action.accept(round);
        }
    }

    private static void isWhole(long word) {
        assertThat(word >>> 32).isEqualTo(word & 0xFFFF_FFFFL);
    }

    @Test
    default void localReadAndRemoteWriteAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> isWhole(cpu.local().getAcquire(line(0)))),
                fabric -> repeat(round -> fabric.writeWord(1, line(0), round * BOTH_HALVES)));
    }

    @Test
    default void localWriteAndRemoteReadAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> cpu.local().setRelease(line(0), round * BOTH_HALVES)),
                fabric -> repeat(round -> isWhole(fabric.readWord(1, line(0)))));
    }

    @Test
    default void localWriteAndRemoteWriteAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> {
            cpu.local().setVolatile(line(0), round * BOTH_HALVES);
            isWhole(cpu.local().getAcquire(line(0)));
        }), fabric -> repeat(round -> {
            fabric.writeWord(1, line(0), (rounds() + round) * BOTH_HALVES);
            fabric.flush(1);
        }));
    }

    @Test
    default void localReadAndRemoteUpdateAreAtomic() throws Exception {
        beside(cpu -> {
            long[] last = {0};
            repeat(round -> {
                long word = cpu.local().getAcquire(line(0));
                isWhole(word);
                assertThat(word).isGreaterThanOrEqualTo(last[0]);
                last[0] = word;
            });
        }, fabric -> repeat(round -> fabric.getAndAdd(1, line(0), BOTH_HALVES)));
    }

    @Test
    default void localUpdateAndRemoteReadAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), BOTH_HALVES)), fabric -> {
            long[] last = {0};
            repeat(round -> {
                long word = fabric.readWord(1, line(0));
                isWhole(word);
                assertThat(word).isGreaterThanOrEqualTo(last[0]);
                last[0] = word;
            });
        });
    }

    @Test
    default void localUpdateAndRemoteWriteAreAtomic() throws Exception {
        // The upper half belongs to the writer. It holds what the writer wrote last, however often the owner adds to
        // the lower half.
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), 1)), fabric -> repeat(round -> {
            fabric.writeWord(1, line(0), round << 32);
            assertThat(fabric.readWord(1, line(0)) >>> 32).isEqualTo(round);
        }));
    }

    @Test
    default void localWriteAndRemoteUpdateAreAtomicWhereTheFabricIsCoherent() throws Exception {
        assumeTrue(fabric(1).guarantees().coherentWithCpu());
        beside(cpu -> repeat(round -> {
            cpu.local().setVolatile(line(0), round << 32);
            assertThat(cpu.local().getVolatile(line(0)) >>> 32).isEqualTo(round);
        }), fabric -> repeat(round -> fabric.getAndAdd(1, line(0), 1)));
    }

    @Test
    default void localUpdateAndRemoteUpdateAreAtomicWhereTheFabricIsCoherent() throws Exception {
        assumeTrue(fabric(1).guarantees().coherentWithCpu());
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), 1)),
                fabric -> repeat(round -> fabric.getAndAdd(1, line(0), 1)));
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(2L * rounds());
    }
}
