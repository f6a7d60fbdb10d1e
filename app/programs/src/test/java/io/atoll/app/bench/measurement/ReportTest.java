package io.atoll.app.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.atoll.app.bench.measurement.Report.Measurement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {

    private final Report report = new Report("map", Map.of("ranks", "2"),
            List.of(Measurement.of("insert", "ns/operation", 300, 100, 200),
                    Measurement.of("find", "ns/operation", 90.25)));

    @Test
    void aMeasurementIsTheMedianOfItsRuns() {
        assertThat(Measurement.of("odd", "s", 3, 1, 100).median()).isEqualTo(3);
        assertThat(Measurement.of("even", "s", 4, 1, 100, 2).median()).isCloseTo(3, within(1e-9));
        assertThat(Measurement.of("odd", "s", 3, 1, 100).runs()).containsExactly(3.0, 1.0, 100.0);
        assertThatThrownBy(() -> Measurement.of("none", "s")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("name=none");
    }

    @Test
    void theTableHasAColumnForEachFigure() {
        assertThat(report.toTable()).containsExactly("map {ranks=2}",
                "        unit          median    min    max",
                "insert  ns/operation   200.0  100.0  300.0",
                "find    ns/operation    90.3   90.3   90.3");
    }

    @Test
    void theJsonHasEverything() {
        JsonNode json = JsonMapper.shared().readTree(report.toJson());
        assertThat(json.at("/benchmark").asString()).isEqualTo("map");
        assertThat(json.at("/parameters/ranks").asString()).isEqualTo("2");
        assertThat(json.at("/measurements/0/median").asDouble()).isEqualTo(200);
        assertThat(json.at("/measurements/0/runs")).hasSize(3);
    }
}
