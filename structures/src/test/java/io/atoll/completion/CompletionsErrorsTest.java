package io.atoll.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.interleaving.Instrumented;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests memory that is missing for a moment, wherever asynchronous operations ask for some. */
@Isolated
@Timeout(300)
@Tag("slow")
class CompletionsErrorsTest {

    private static final Set<String> STRUCK = Set.of("Completions", "Round", "Operation", "CombinedOperation",
            "Combiner", "Submission", "Submissions", "Request", "Completion", "AloneOperation");

    private static final Set<String> CALLERS = Set.of("Parts");

    @Test
    @SuppressWarnings("unchecked")
    void anErrorAnywhereLosesNoOperation(@TempDir Path folder) throws Exception {
        Function<Path, Integer> scenario = Instrumented.withoutMemory("io.atoll.completion", STRUCK, CALLERS)
                .create(Function.class, "io.atoll.completion.StruckCompletions");
        assertThat(scenario.apply(folder)).as("errors").isGreaterThan(50);
    }
}
