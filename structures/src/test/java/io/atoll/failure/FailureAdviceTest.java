package io.atoll.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.link.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts of the fabric's failures: what is wrong, a comma, and what to change. The facts follow. */
class FailureAdviceTest {

    private static final Pattern REASON = Pattern.compile(
            "new (?:RankUnreachable|FabricTimeout|SegmentFile|LayoutMismatch)Exception\\(\\s*\"([^\"]*)\"(\\s*\\+)?");
    // If the search finds fewer, the pattern does not fit any more.
    private static final int LEAST_REASONS = 20;

    @Test
    void aReasonSaysWhatToChangeAndHoldsNoFacts() throws IOException {
        List<String> reasons;
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            reasons = sources.filter(file -> file.toString().endsWith(".java"))
                    .flatMap(FailureAdviceTest::reasons)
                    .toList();
        }
        assertThat(reasons).hasSizeGreaterThan(LEAST_REASONS)
                .allMatch(reason -> reason.contains(", "))
                .allMatch(reason -> reason.matches("[^:=]*"));
    }

    @Test
    void missingRanksNameWhatMustBeTheSameAndWhatMayBeRaised() {
        assertThat(new MissingRanksException("shop", 2, List.of(1), new TreeMap<>(), Duration.ZERO))
                .hasMessageContainingAll("the same", "atoll.world.name", "atoll.world.size",
                        "atoll.world.join-timeout");
    }

    @Test
    void processesWithDifferentSecretsAreToldWhichPropertyMustBeTheSame() {
        assertThat(Refusal.UNPROVED.words()).contains("the same", "atoll.fabric.tcp.secret",
                "atoll.fabric.rdma.secret");
    }

    private static Stream<String> reasons(Path source) {
        Matcher found;
        try {
            found = REASON.matcher(Files.readString(source));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        // A reason that is put together is not seen whole. It counts as one with facts.
        return found.results()
                .map(reason -> reason.group(1) + (reason.group(2) == null ? "" : ": put together in " + source));
    }
}
