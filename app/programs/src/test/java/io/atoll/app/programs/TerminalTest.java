package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process, at a terminal and without one. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class TerminalTest {

    private static final String SAMPLE = "../src/sample/lambda_virus.fa.gz";
    private static final String CLEAR_LINE = "\r\u001b[K";

    @TempDir
    Path shared;

    private String program(String arguments) {
        return Path.of(System.getProperty("java.home"), "bin", "java") + " -cp " + System.getProperty("java.class.path")
                + " io.atoll.app.programs.AtollApplication kmer --ranks=2 --shared-memory=" + shared + " " + arguments;
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @Test
    void aTerminalShowsABarAndThenTheResult() throws Exception {
        // The process has a terminal of its own.
        Process process = start(List.of("script", "--quiet", "--return", "--command", program(SAMPLE), "/dev/null"));
        String shown = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isZero();
        assertThat(shown).containsSubsequence(CLEAR_LINE + "reading [####", CLEAR_LINE + "kmer [",
                CLEAR_LINE + "ranks ", "k-mers ");
    }

    @Test
    void withoutATerminalThereIsOnlyTheResult() throws Exception {
        Process process = start(List.of("sh", "-c", program(SAMPLE)));
        List<String> lines = process.inputReader().lines().toList();
        assertThat(process.waitFor()).isZero();
        assertThat(lines).hasSize(8).first().asString().startsWith("ranks ");
    }

    @Test
    void aFailureIsOneLineAndExitCodeTwo() throws Exception {
        Process process = start(List.of("sh", "-c", program("missing.fq")));
        assertThat(process.inputReader().lines()).containsExactly("kmer: missing.fq: does not exist");
        assertThat(process.waitFor()).isEqualTo(2);
    }
}
