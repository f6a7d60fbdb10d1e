package io.atoll.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** One compare-and-swap, posted and polled until it has completed, in Java beside a C program that does the same: processes that run in turns. */
@NeedsRdmaDevice
class CompareAndSwapCostTest {

    private static final String C_PROGRAM = System.getProperty(RdmaLab.C_PROGRAM, "");
    private static final int ROUNDS = 5;
    private static final int SWAPS = 5_000;

    @Test
    void javaAndCSwapTheSameAndTheCostOfBothIsPrinted() throws Exception {
        assumeTrue(!C_PROGRAM.isEmpty(), RdmaLab.NO_COMPILER);
        List<String> java = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xbatch", "-XX:+UseSerialGC", // emulated, compiling takes longer than the warm-up
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Swapping.class.getName(), String.valueOf(SWAPS));
        double[] nanosInC = new double[ROUNDS];
        double[] nanosInJava = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            nanosInC[round] = nanos(List.of(C_PROGRAM, String.valueOf(SWAPS)));
            nanosInJava[round] = nanos(java);
        }
        System.out.printf(
                "compare-and-swap: %.0f ns in C, %.0f ns in Java, ratio %.2f (medians of %d processes, %d swaps each)%n",
                median(nanosInC), median(nanosInJava), median(nanosInJava) / median(nanosInC), ROUNDS, SWAPS);
    }

    private static double nanos(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).matches("[0-9]+");
        return Double.parseDouble(output);
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().toArray()[values.length / 2];
    }

    /** What {@code compare-and-swap.c} is in C. */
    static final class Swapping {

        private static final WorldIdentity WORLD = new WorldIdentity("verbs-swaps", 2);
        private static final long WORD = SegmentHeader.size(WORLD.size());
        private static final int WARM_UP = 40_000; // until the compiler has compiled what it can

        private Swapping() {}

        public static void main(String[] arguments) {
            int count = Integer.parseInt(arguments[0]);
            try (Attachment attachment = Fabrics.verbs().attach(WORLD, OptionalInt.of(0), 64 << 10)) {
                Fabric fabric = attachment.fabric();
                swap(fabric, 0, WARM_UP);
                long startNanos = System.nanoTime();
                swap(fabric, WARM_UP, count);
                System.out.println((System.nanoTime() - startNanos) / count);
            }
        }

        private static void swap(Fabric fabric, long from, int count) {
            for (long value = from; value < from + count; value++) {
                if (fabric.compareAndExchange(0, WORD, value, value + 1) != value) {
                    throw new IllegalStateException("somebody else has swapped: value=" + value);
                }
            }
        }
    }
}
