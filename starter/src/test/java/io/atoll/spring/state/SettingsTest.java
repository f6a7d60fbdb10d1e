package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

class SettingsTest {

    @Test
    void aConfigurationIsToldInWords() {
        assertThat(Settings.inWords("lock-table algorithm=QUEUE localBudget=5 expected-elements=10"))
                .containsExactly(entry("algorithm", "QUEUE"), entry("local budget", "5"),
                        entry("expected elements", "10"));
    }

    @Test
    void aValueMayHaveSpacesAndASettingNoValue() {
        assertThat(Settings.inWords("map hashed keys=object(a, b) capacity=7"))
                .containsExactly(entry("hashed", "yes"), entry("keys", "object(a, b)"), entry("capacity", "7"));
    }
}
