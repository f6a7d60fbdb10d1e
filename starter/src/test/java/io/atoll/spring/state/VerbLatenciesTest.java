package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.fabric.trace.VerbSamples;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerbLatenciesTest {

    private final VerbLatencies latencies = new VerbLatencies();

    private TrafficState.Verbs read(Locality locality) {
        return TrafficState
                .of(new VerbCounts(), latencies, Optional.empty())
                .verbs()
                .stream()
                .filter(verbs -> verbs.kind().equals("read")
                        && verbs.locality().equals(locality == Locality.REMOTE ? "remote" : "local"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ofVerbsThatNobodyHasTimedNothingIsSaid() {
        latencies.verb(Verb.READ, Locality.LOCAL, 0, 5);
        assertThat(read(Locality.REMOTE)).isEqualTo(new TrafficState.Verbs("remote", "read", 0, 0, null, null, null));
    }

    @Test
    void percentilesAreThoseOfTheLastSamples() {
        for (int sample = 1; sample <= 100; sample++) {
            latencies.verb(Verb.READ, Locality.REMOTE, 1, sample * 10);
        }
        assertThat(read(Locality.REMOTE))
                .isEqualTo(new TrafficState.Verbs("remote", "read", 0, 100, 505L, 500L, 990L));
        for (int sample = 0; sample < VerbLatencies.KEPT; sample++) {
            latencies.verb(Verb.READ, Locality.REMOTE, 1, 7);
        }
        assertThat(read(Locality.REMOTE)).isEqualTo(new TrafficState.Verbs("remote", "read", 0,
                100 + VerbLatencies.KEPT, 7L, 7L, 7L));
    }

    @Test
    void ofEachRankTheLastSamplesAreKeptWhateverTheVerbButAFlush() {
        assertThat(latencies.peer(7).sampled()).isZero();
        assertThat(latencies.peer(7).percentile(50)).isNull();
        assertThat(latencies.peer(7).mean()).isNull();
        latencies.verb(Verb.READ, Locality.REMOTE, 7, 10);
        latencies.verb(Verb.GET_AND_ADD, Locality.REMOTE, 7, 30);
        latencies.verb(Verb.WRITE, Locality.REMOTE, 8, 1_000);
        latencies.verb(Verb.FLUSH, Locality.REMOTE, 7, 1_000);
        latencies.verb(Verb.FLUSH, Locality.REMOTE, VerbSamples.ALL_RANKS, 1_000);
        assertThat(latencies.peer(7).sampled()).isEqualTo(2);
        assertThat(latencies.peer(7).nanos()).containsExactly(10, 30);
        assertThat(latencies.peer(7).mean()).isEqualTo(20);
        for (int sample = 0; sample < VerbLatencies.KEPT_OF_A_PEER; sample++) {
            latencies.verb(Verb.READ, Locality.REMOTE, 7, 5);
        }
        assertThat(latencies.peer(7).percentile(99)).isEqualTo(5);
        assertThat(latencies.peer(7).sampled()).isEqualTo(2 + VerbLatencies.KEPT_OF_A_PEER);
    }
}
