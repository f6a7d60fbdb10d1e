package io.atoll.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("processes")
class ScriptTest {

    @Test
    void theSameSeedBringsTheSameFaults() {
        assertThat(Script.of(5, 7, 10_000)).isEqualTo(Script.of(5, 7, 10_000));
        assertThat(Script.of(6, 7, 10_000)).isNotEqualTo(Script.of(5, 7, 10_000));
    }

    @Test
    void theFirstWorldsShowEverythingThereIs() {
        assertThat(IntStream.range(0, 4).mapToObj(number -> Script.of(5, number, 10_000)))
                .anyMatch(Script::together)
                .anyMatch(Script::hazelcast)
                .anyMatch(Script::pressed)
                .anyMatch(Script::errors)
                .allMatch(script -> script.ranks() >= 2 && script.ranks() <= 4)
                .allMatch(script -> script.faults().stream().allMatch(fault -> fault.rank() < script.ranks()));
    }
}
