package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.job.RankEvent.Done;
import io.atoll.app.job.RankEvent.End;
import io.atoll.app.job.RankEvent.Failure;
import io.atoll.app.job.RankEvent.Output;
import io.atoll.app.job.RankEvent.Progress;
import io.atoll.app.job.RankEvent.Ready;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankEventTest {

    @Test
    void aLineSaysWhatTheEventWas() {
        List<RankEvent> events = List.of(new Ready(), new Progress(1, Long.MAX_VALUE), new Output(""),
                new Output("two  words "), new Done(), new Failure(Failure.NOBODY, "a reason"), new Failure(2, ""));
        assertThat(events).allSatisfy(event -> assertThat(RankEvent.fromLine(event.toLine())).contains(event));
    }

    @Test
    void aTextOfSeveralLinesBecomesOne() {
        assertThat(new Failure(1, "one\ntwo\r\nthree").toLine()).isEqualTo("@atoll failure 1 one two three");
    }

    @Test
    void otherLinesAreNoEvents() {
        assertThat(List.of("", "ready", "@atoll", "@atoll ", "@atoll unknown", "WARNING: something"))
                .allSatisfy(line -> assertThat(RankEvent.fromLine(line)).isEmpty());
    }

    @Test
    void anEndSaysWhichSignalItWas() {
        assertThat(new End(137, "last words").description()).isEqualTo("was ended by SIGKILL");
        assertThat(new End(128 + 30, "").description()).isEqualTo("was ended by signal 30");
        assertThat(new End(1, "").description()).isEqualTo("ended with exit code 1");
        assertThat(new End(1, "no heap").description()).isEqualTo("ended with exit code 1: no heap");
    }
}
