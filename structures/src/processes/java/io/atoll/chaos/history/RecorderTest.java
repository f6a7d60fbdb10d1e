package io.atoll.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("processes")
class RecorderTest {

    @TempDir
    private Path folder;

    @Test
    void whatWasWrittenDownIsReadByAnotherMappingOfTheFile() throws IOException {
        Path file = folder.resolve("history");
        try (Recorder recorder = new Recorder(file, 1000)) {
            long done = recorder.begin(3, Structure.TEXT_MAP, Verb.COMPARE_AND_SET, 7, -5, 6);
            recorder.end(done, Outcome.DONE, 1, 2);
            recorder.end(recorder.begin(300, Structure.FILTER, Verb.ADD, -1, 0, 0), Outcome.REFUSED, 0, 0);
            recorder.end(recorder.begin(0, Structure.BUFFER, Verb.CLEAN, 1, 0, 0), Outcome.UNKNOWN, 0, 0);
            recorder.begin(1, Structure.LONG_MAP, Verb.OPEN, 9, 0, 0);

            assertThat(Recorder.read(file, 4)).satisfiesExactly(
                    entry -> {
                        assertThat(entry.called()).isPositive().isLessThanOrEqualTo(entry.returned());
                        assertThat(entry).isEqualTo(new Entry(4, 3, Structure.TEXT_MAP, Verb.COMPARE_AND_SET, 7, -5,
                                6, entry.called(), entry.returned(), Outcome.DONE, 1, 2));
                    },
                    entry -> {
                        assertThat(entry.thread()).isEqualTo(300);
                        assertThat(entry.outcome()).isEqualTo(Outcome.REFUSED);
                    },
                    entry -> {
                        assertThat(entry.isOpen()).isTrue();
                        assertThat(entry.returned()).isEqualTo(Entry.NEVER);
                    },
                    entry -> {
                        assertThat(entry.outcome()).isEqualTo(Outcome.PENDING);
                        assertThat(entry.returned()).isEqualTo(Entry.NEVER);
                    });
        }
    }
}
