package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.spring.autoconfigure.AtollProperties.MembershipType;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.unit.DataSize;

class UnreadableValueFailureAnalyzerTest {

    private static @Nullable FailureAnalysis analysis(String value, Class<?> type) {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("a.property", value)));
        return new UnreadableValueFailureAnalyzer()
                .analyze(catchThrowableOfType(BindException.class, () -> binder.bind("a.property", type)));
    }

    private static void assertReads(String value, Class<?> type, String description) {
        assertThat(analysis(value, type)).isNotNull()
                .extracting(FailureAnalysis::getDescription, FailureAnalysis::getAction)
                .containsExactly(description, null);
    }

    @Test
    void aValueThatCannotBeReadIsNamedWithItsPropertyAndTheReason() {
        assertReads("soon", Duration.class, "a.property cannot be 'soon': 'soon' is not a valid duration");
        assertReads("abc", DataSize.class, "a.property cannot be 'abc': 'abc' does not match data size pattern");
    }

    @Test
    void aNameThatThereIsNotIsAnsweredByThoseThatThereAre() {
        assertReads("zookeeper", MembershipType.class,
                "a.property cannot be 'zookeeper': it is one of one-host, hazelcast");
    }
}
