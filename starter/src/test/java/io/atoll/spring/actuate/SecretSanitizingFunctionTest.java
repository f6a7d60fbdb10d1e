package io.atoll.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SanitizableData;

class SecretSanitizingFunctionTest {

    private final SecretSanitizingFunction function = new SecretSanitizingFunction(List.of("open sesame", "", " "));

    private @Nullable Object shown(String name, @Nullable Object value) {
        return function.apply(new SanitizableData(null, name, value)).getValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"atoll.fabric.tcp.secret", "ATOLL_FABRIC_TCP_SECRET",
        "atoll.fabric.tcp.previous-secrets[1]",
        "atoll.fabric.tcp.previousSecrets[0]", "ATOLL_FABRIC_TCP_PREVIOUSSECRETS_0",
        "atoll.fabric.rdma.secret", "atoll.fabric.rdma.previousSecrets[0]", "atoll.membership.hazelcast.secret",
        "ATOLL_MEMBERSHIP_HAZELCAST_SECRET"})
    void whatHasTheNameOfASecretIsNotShown(String name) {
        assertThat(shown(name, "anything")).isEqualTo(SanitizableData.SANITIZED_VALUE);
    }

    @Test
    void whatContainsASecretIsNotShown() {
        assertThat(shown("SHOP_PASSWORD", "open sesame")).isEqualTo(SanitizableData.SANITIZED_VALUE);
        assertThat(shown("sun.java.command", "shop.jar --password=open sesame --debug"))
                .isEqualTo(SanitizableData.SANITIZED_VALUE);
        assertThat(shown("SPRING_APPLICATION_JSON", new StringBuilder("{\"a\": \"open sesame\"}")))
                .isEqualTo(SanitizableData.SANITIZED_VALUE);
    }

    @Test
    void everythingElseIsShown() {
        assertThat(shown("atoll.fabric.tcp.lanes", 2)).isEqualTo(2);
        assertThat(shown("atoll.fabric.tcp.ssl.bundle", "ranks")).isEqualTo("ranks");
        assertThat(shown("atoll.fabric.tcp.host", null)).isNull();
    }
}
