package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerbLatenciesTest {

    private final VerbLatencies latencies = new VerbLatencies();

    private TrafficState.Verbs read(Locality locality) {
        return TrafficState
                .of(new VerbCounts(), latencies, Optional.empty(), new ConnectionsState(List.of(), Map.of()))
                .verbs()
                .stream()
                .filter(verbs -> verbs.kind().equals("read")
                        && verbs.locality().equals(locality == Locality.REMOTE ? "remote" : "local"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ofVerbsThatNobodyHasTimedNothingIsSaid() {
        latencies.verb(Verb.READ, Locality.LOCAL, 5);
        assertThat(read(Locality.REMOTE)).isEqualTo(new TrafficState.Verbs("remote", "read", 0, 0, null, null, null));
    }

    @Test
    void percentilesAreThoseOfTheLastSamples() {
        for (int sample = 1; sample <= 100; sample++) {
            latencies.verb(Verb.READ, Locality.REMOTE, sample * 10);
        }
        assertThat(read(Locality.REMOTE))
                .isEqualTo(new TrafficState.Verbs("remote", "read", 0, 100, 505L, 500L, 990L));
        for (int sample = 0; sample < VerbLatencies.KEPT; sample++) {
            latencies.verb(Verb.READ, Locality.REMOTE, 7);
        }
        assertThat(read(Locality.REMOTE)).isEqualTo(new TrafficState.Verbs("remote", "read", 0,
                100 + VerbLatencies.KEPT, 7L, 7L, 7L));
    }
}
