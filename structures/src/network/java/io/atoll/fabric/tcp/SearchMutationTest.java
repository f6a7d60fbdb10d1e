package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.fabric.BesideContract;
import io.atoll.fabric.GuardedBatch;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.fabric.RecordContract;
import io.atoll.fabric.RecordRead;
import io.atoll.fabric.RecordSearch;
import io.atoll.fabric.SearchContract;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * {@link SearchContract} finds mistakes in searches, of owners that decide them and of batches that do. And
 * {@link RecordContract} finds those in reads of records, {@link BesideContract} those in writes beside.
 */
@Tag("network")
class SearchMutationTest {

    /** The contract of ranks that reach each other by TCP. */
    static class OverTcp implements RanksOverTcp, SearchContract, RecordContract, BesideContract {

        private static TcpRanks ranks;

        @BeforeAll
        static void attach(@TempDir Path folder) {
            ranks = new TcpRanks(folder);
        }

        @AfterAll
        static void detach() {
            ranks.close();
        }

        @BeforeEach
        void clear() {
            makeZero();
        }

        @Override
        public TcpRanks ranks() {
            return ranks;
        }

        @Override
        public int rounds() {
            return 1;
        }
    }

    /** Checks the contract. Fails if anything of it is broken. */
    private static final class Contract implements Runnable {

        @Override
        public void run() {
            var summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(DiscoverySelectors.selectClass(OverTcp.class))
                            .build(), summary);
            if (summary.getSummary().getTotalFailureCount() > 0) {
                var failures = new StringWriter();
                summary.getSummary().printFailuresTo(new PrintWriter(failures), 1);
                throw new AssertionError(failures);
            }
        }
    }

    private record Mistake(Class<?> patched, String text, String instead) {

        @Override
        public String toString() {
            return patched.getSimpleName() + ": " + text.strip();
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                new Mistake(RecordSearch.class,
                        "\n                    && passesOthers(records, offset + at, tests, position, number)", ""),
                new Mistake(RecordSearch.class, "displacement = (int) at;\n                return;",
                        "displacement = (int) at;"),
                new Mistake(RecordSearch.class, "word = first;", "word = load(records, offset, tests, position);"),
                new Mistake(RecordSearch.class, "int test = 1; test < number;", "int test = 1; test < number - 1;"),
                new Mistake(RecordSearch.class, "at < bytes; at += stride", "at < bytes - stride; at += stride"),
                new Mistake(RecordSearch.class, "        word = 0;\n        displacement = NOWHERE;\n", ""),
                new Mistake(RecordSearch.class, " || at > stride - Layouts.WORD", ""),
                new Mistake(RecordSearch.class, " || bytes > Batch.SEARCH_BYTES", ""),
                new Mistake(RecordSearch.class, " || stride % Layouts.WORD != 0", ""),
                new Mistake(RecordSearch.class, " || number > WordTest.MOST", ""),
                new Mistake(RecordSearch.class, " || number < 1", ""),
                new Mistake(RecordSearch.class, "at < 0 || ", ""),
                new Mistake(RecordSearch.class, " || at % Layouts.WORD != 0", ""),
                new Mistake(WordTest.class, "Long.compareUnsigned(tests", "Long.compare(tests"),
                new Mistake(WordTest.class, "Long.compareUnsigned(bits", "Long.compare(bits"),
                new Mistake(WordTest.class, "SMALLEST), bits) <= 0", "SMALLEST), bits) < 0"),
                new Mistake(WordTest.class, "GREATEST)) <= 0", "GREATEST)) < 0"),
                new Mistake(WordTest.class, "word & tests.get(JAVA_LONG, position + MASK)", "word"),
                new Mistake(GuardedBatch.class, "own + displacementSoFar(entry.guard)", "own"),
                new Mistake(GuardedBatch.class, "own + displacementSoFar(entry.guard)",
                        "displacementSoFar(entry.guard)"),
                new Mistake(GuardedBatch.class, "found(index) == found(entry.guard)", "true"),
                new Mistake(GuardedBatch.class, "offset + displacementSoFar(guard)", "offset"),
                new Mistake(GuardedBatch.class, "own + reach(entry.guard)", "own"),
                new Mistake(GuardedBatch.class, "answered(index) ? Math.max(foundAt(index), 0) : entry.reach : 0;",
                        "0 : 0;"),
                new Mistake(GuardedBatch.class, " && (entry.guard == NONE || succeeded(entry.guard))", ""),
                new Mistake(GuardedBatch.class, "(found & keep) + addend", "found + addend"),
                new Mistake(GuardedBatch.class, "succeeded(index) ? displacementSoFar(index) : 0",
                        "displacementSoFar(index)"),
                new Mistake(GuardedBatch.class, "Objects.checkFromIndexSize(offset, bytes, memory.size());\n", "\n"),
                new Mistake(GuardedBatch.class,
                        "Objects.checkFromIndexSize(position, tests * WordTest.BYTES, bufferBytes());\n", "\n"),
                new Mistake(GuardedBatch.class, "guard == NONE || !isSearch(guard)", "guard == NONE"),
                new Mistake(GuardedBatch.class, "if (guard != NONE && entries[guard].rank != rank)", "if (false)"),
                new Mistake(GuardedBatch.class, "entries[index].reach = bytes - stride;",
                        "entries[index].reach = bytes;"),
                new Mistake(FrameExecutor.class, "displacements[number] = displacements[guard];", ""),
                new Mistake(FrameExecutor.class, "displacements[number] += Math", "displacements[number] = Math"),
                new Mistake(FrameExecutor.class, "Frame.OFFSET) + displacements[guard]", "Frame.OFFSET)"),
                new Mistake(FrameExecutor.class, "(expected & first) + in", "expected + in"),
                new Mistake(FrameExecutor.class, "? found[Frame.guard(head)]", "? found[number - 1]"),
                new Mistake(FrameExecutor.class, "? found[Frame.guard(head)]",
                        "? segment.getAcquire(offset)"),
                new Mistake(FrameExecutor.class, "found[number] = search.word();", ""),
                new Mistake(FrameExecutor.class, "out.set(JAVA_LONG, result + Long.BYTES, search.displacement());",
                        "out.set(JAVA_LONG, result + Long.BYTES, displacements[number]);"),
                new Mistake(FrameExecutor.class, "return search.displacement() != RecordSearch.NOWHERE;",
                        "return true;"),
                new Mistake(FrameExecutor.class, "out.asSlice(result, resultBytes).fill((byte) 0);", ""),
                new Mistake(FrameExecutor.class, "boolean isSkipped = !Frame.isOneOf(succeeded, guard);",
                        "boolean isSkipped = false;"),
                new Mistake(TcpBatch.class, "decide(index, near, moved(offset), bytes",
                        "decide(index, near, offset, bytes"),
                new Mistake(TcpBatch.class, "verbs.exchangeFound(lane, moved(offset)",
                        "verbs.exchangeFound(lane, offset"),
                new Mistake(FrameExecutor.class, "length / count, count, out", "length, count, out"),
                new Mistake(FrameExecutor.class, "length / count, count, out", "length / count, 1, out"),
                new Mistake(Frame.class, "length + count * Long.BYTES", "length"),
                new Mistake(Frame.class, "plain == READ || plain == READ_RECORDS",
                        "(byte) head == READ || (byte) head == READ_RECORDS"),
                new Mistake(Frame.class, " && kind <= EXCHANGE_FOUND", ""),
                new Mistake(FrameExecutor.class, "found[number] = former;", ""),
                new Mistake(FrameExecutor.class, ">>> Frame.count(head) & 1) == 0;",
                        ">>> Frame.count(head) & 1) != 0;"),
                new Mistake(FrameExecutor.class, "(found[Frame.guard(head)] >>> Frame.count(head)",
                        "(found[Frame.guard(head)]"),
                new Mistake(FrameExecutor.class, "offset + passed(head, bytes)", "offset"),
                new Mistake(GuardedBatch.class, "isFirst ? offset : offset + bytes", "offset"),
                new Mistake(GuardedBatch.class, "(found(guard) >>> bit & 1)", "(found(guard) & 1)"),
                new Mistake(GuardedBatch.class, "if (bit < 0 || bit >= Long.SIZE) {", "if (false) {"),
                new Mistake(GuardedBatch.class, "if (guard == NONE) {", "if (false) {"),
                new Mistake(TcpBatch.class, "both <= Frame.MAXIMUM_LENGTH", "true"),
                new Mistake(TcpBatch.class, "awaitGuard(rank);\n        super.writeBeside(",
                        "super.writeBeside("),
                new Mistake(TcpBatch.class, "verbs.writeBeside(lane, moved(offset)", "verbs.writeBeside(lane, offset"),
                new Mistake(VerbList.class, "Frame.bringsWords(Frame.kind(head)) && !isSkipped",
                        "Frame.bringsWords(Frame.kind(head))"),
                new Mistake(VerbList.class, "follows(next[index], target + taken)",
                        "Frame.isPlain(heads[next[index]])"),
                new Mistake(RecordRead.class, "count * arriving(stride) <= Batch.RECORDS_BYTES", "true"),
                new Mistake(RecordRead.class, "return stride + Layouts.WORD", "return stride"),
                new Mistake(GuardedBatch.class, "if (!RecordRead.isPossible(stride, count)) {", "if (false) {"),
                new Mistake(GuardedBatch.class,
                        "Objects.checkFromIndexSize(position, bytes, bufferBytes());\n", "\n"),
                new Mistake(TcpBatch.class, "verbs.readRecords(lane, moved(offset)", "verbs.readRecords(lane, offset"),
                new Mistake(TcpBatch.class, "verbs.search(lane, moved(offset)", "verbs.search(lane, offset"),
                new Mistake(TcpBatch.class, "bytes + reach()", "bytes"),
                new Mistake(TcpBatch.class, "verbs.setFound(index, decided(index), super.foundAt(index));",
                        "verbs.setFound(index, decided(index), 0);"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsFound(Mistake mistake) {
        assertThatThrownBy(() -> new Patch(mistake.patched).replace(mistake.text, mistake.instead).run(Contract.class))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void theContractHoldsWithoutAMistake() {
        assertThatNoException().isThrownBy(() -> new Contract().run());
    }
}
