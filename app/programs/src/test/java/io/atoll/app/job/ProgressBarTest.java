package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressBarTest {

    @Test
    void theLineShowsHowFarAllAreTogether() {
        try (ProgressBar bar = new ProgressBar("job", 2)) {
            assertThat(bar.line(0, 0)).isEqualTo("job [" + ".".repeat(40) + "] 0 %");
            assertThat(bar.line(1, 4)).isEqualTo("job [" + "#".repeat(10) + ".".repeat(30) + "] 25 %");
            assertThat(bar.line(5, 4)).isEqualTo("job [" + "#".repeat(40) + "] 100 %");
        }
    }
}
