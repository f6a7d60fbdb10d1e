package io.atoll.spring.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StrangersTextTest {

    @Test
    void noCharacterBeginsAnotherLineOrHidesText() {
        assertThat(StrangersText.oneLine("a\r\nb\u0085c\u2028d\u2029e\u202ef\u00e9")).isEqualTo("a??b?c?d?e?f\u00e9");
    }

    @Test
    void aLongTextIsCut() {
        assertThat(StrangersText.oneLine("x".repeat(200))).hasSize(200);
        assertThat(StrangersText.oneLine("x".repeat(100_000))).hasSize(200);
    }
}
