package io.atoll.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One compare-and-swap, posted and polled until it has completed, in Java and in C, by one process and in turns. */
@NeedsRdmaDevice
@Timeout(300)
class CompareAndSwapCostTest {

    private static final String C_LIBRARY = System.getProperty(RdmaLab.C_LIBRARY, "");
    private static final double MOST = 1.3;

    @Test
    void aSwapCostsInJavaWhatItCostsInCAndAThirdAtMost() throws Exception {
        assumeTrue(!C_LIBRARY.isEmpty(), RdmaLab.NO_COMPILER);
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xbatch", "-XX:+UseSerialGC", // emulated, compiling takes longer than the warm-up
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Swapping.class.getName(), C_LIBRARY)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).matches("[0-9.]+ [0-9.]+ [0-9.]+");
        double[] found = Arrays.stream(output.split(" ")).mapToDouble(Double::parseDouble).toArray();
        System.out.printf("compare-and-swap: %.0f ns in C, %.0f ns in Java, ratio %.2f (medians of %d turns)%n",
                found[0], found[1], found[2], Swapping.TURNS);
        assertThat(found[2]).isLessThanOrEqualTo(MOST);
    }

    /** Prints the nanoseconds of a swap in C, those in Java, and how many times as long as the turn in C before it a turn in Java took. */
    @SuppressWarnings("restricted") // C is what it compares with.
    static final class Swapping {

        static final int TURNS = 101;

        private static final int SWAPS = 100; // of a turn: others who use the machine meet both alike
        private static final int WARM_UP = 40_000; // until the compiler has compiled what it can
        private static final WorldIdentity WORLD = new WorldIdentity("verbs-swaps", 2);
        private static final long WORD = SegmentHeader.size(WORLD.size());

        private Swapping() {}

        public static void main(String[] arguments) throws Throwable {
            SymbolLookup library = SymbolLookup.libraryLookup(Path.of(arguments[0]), Arena.global());
            Linker linker = Linker.nativeLinker();
            linker.downcallHandle(library.findOrThrow("prepare"), FunctionDescriptor.ofVoid()).invokeExact();
            MethodHandle swapInC = linker.downcallHandle(library.findOrThrow("swap"),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
            double[] nanosInC = new double[TURNS];
            double[] nanosInJava = new double[TURNS];
            double[] ratios = new double[TURNS];
            try (Attachment attachment = Fabrics.verbs().attach(WORLD, OptionalInt.of(0), 64 << 10)) {
                Fabric fabric = attachment.fabric();
                swap(fabric, 0, WARM_UP);
                for (int turn = 0; turn < TURNS; turn++) {
                    long first = (long) turn * SWAPS;
                    nanosInC[turn] = (long) swapInC.invokeExact(first, (long) SWAPS);
                    nanosInJava[turn] = swap(fabric, WARM_UP + first, SWAPS);
                    ratios[turn] = nanosInJava[turn] / nanosInC[turn];
                }
            }
            System.out.printf("%.1f %.1f %.3f%n", median(nanosInC) / SWAPS, median(nanosInJava) / SWAPS,
                    median(ratios));
        }

        private static long swap(Fabric fabric, long first, int count) {
            long startNanos = System.nanoTime();
            for (long value = first; value < first + count; value++) {
                if (fabric.compareAndExchange(0, WORD, value, value + 1) != value) {
                    throw new IllegalStateException("somebody else has swapped: value=" + value);
                }
            }
            return System.nanoTime() - startNanos;
        }

        private static double median(double[] values) {
            return Arrays.stream(values).sorted().toArray()[values.length / 2];
        }
    }
}
