package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.spring.state.RankState;
import io.atoll.spring.state.overview.Problem;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The files used by the tests of the page are the answers of the API. {@code -Drecorded.write=true} writes them. */
class RecordedWorldTest {

    private static final Path FILES = Path.of("src/test/resources/io/atoll/admin/recorded");

    /** Writes maps in the order of their keys. Their own order differs from process to process. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    @Test
    void theFilesAreWhatTheApiAnswers() throws IOException {
        Map<String, Object> answers = RecordedWorld.answers();
        if (Boolean.getBoolean("recorded.write")) {
            Files.createDirectories(FILES);
            for (Map.Entry<String, Object> answer : answers.entrySet()) {
                Files.writeString(FILES.resolve(answer.getKey() + ".json"), text(answer.getValue()));
            }
        }
        try (Stream<Path> files = Files.list(FILES)) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".json", "")).toList())
                    .containsExactlyInAnyOrderElementsOf(answers.keySet());
        }
        for (Map.Entry<String, Object> answer : answers.entrySet()) {
            assertThat(Files.readString(FILES.resolve(answer.getKey() + ".json"))).as(answer.getKey())
                    .isEqualTo(text(answer.getValue()));
        }
    }

    /** Returns the same text in each run, so that a new file differs only where an answer does. */
    private static String text(Object answer) {
        return JSON.writeValueAsString(answer) + "\n";
    }

    @Test
    void theWorldIsLargeAndHasEachProblem() {
        assertThat(RecordedWorld.ranks()).hasSize(300)
                .extracting(RankState::standing)
                .startsWith(PeerStatus.LOST, PeerStatus.LOST, PeerStatus.LOST, PeerStatus.LOST, PeerStatus.LOST);
        assertThat(RecordedWorld.structures()).hasSize(1_000);
        assertThat(RecordedWorld.problems()).extracting(Problem::kind)
                .contains(Problem.Kind.RANK_LOST, Problem.Kind.RANK_MISSING, Problem.Kind.RANK_REFUSED,
                        Problem.Kind.RANK_STILL,
                        Problem.Kind.DEADLOCK, Problem.Kind.WAIT, Problem.Kind.SEGMENT_FULL, Problem.Kind.PIN,
                        Problem.Kind.STRANDED,
                        Problem.Kind.STRUCTURE_FULL, Problem.Kind.PROMISE, Problem.Kind.TROUBLE);
    }
}
