package io.atoll.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.Arrays;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** One compare-and-swap, posted and polled until it has completed, in Java beside a C program that does the same, in turns. */
@NeedsRdmaDevice
class CompareAndSwapCostTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-swaps", 2);
    private static final long WORD = SegmentHeader.size(WORLD.size());
    private static final String PROGRAM = System.getProperty(RdmaLab.C_PROGRAM, "");
    private static final int ROUNDS = 7;
    private static final int SWAPS = 2_000;

    @Test
    void javaAndCSwapTheSameAndTheCostOfBothIsPrinted() throws Exception {
        assumeTrue(!PROGRAM.isEmpty(), RdmaLab.NO_COMPILER);
        double[] nanosInC = new double[ROUNDS];
        double[] nanosInJava = new double[ROUNDS];
        try (Attachment attachment = Fabrics.verbs().attach(WORLD, OptionalInt.of(0), 64 << 10)) {
            Fabric fabric = attachment.fabric();
            swaps(fabric, 0, SWAPS); // not measured
            for (int round = 0; round < ROUNDS; round++) {
                nanosInC[round] = inC();
                long startNanos = System.nanoTime();
                swaps(fabric, (round + 1L) * SWAPS, SWAPS);
                nanosInJava[round] = (System.nanoTime() - startNanos) / (double) SWAPS;
            }
            assertThat(fabric.readWord(0, WORD)).isEqualTo((ROUNDS + 1L) * SWAPS);
        }
        double c = median(nanosInC);
        double java = median(nanosInJava);
        System.out.printf("compare-and-swap: %.0f ns in C, %.0f ns in Java, ratio %.2f (medians of %d rounds of %d)%n",
                c, java, java / c,
                ROUNDS, SWAPS);
    }

    private static void swaps(Fabric fabric, long from, int count) {
        for (long value = from; value < from + count; value++) {
            if (fabric.compareAndExchange(0, WORD, value, value + 1) != value) {
                throw new AssertionError("somebody else has swapped: value=" + value);
            }
        }
    }

    private static double inC() throws Exception {
        Process process = new ProcessBuilder(PROGRAM, String.valueOf(SWAPS)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return Double.parseDouble(output);
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().toArray()[values.length / 2];
    }
}
