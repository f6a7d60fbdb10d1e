package io.atoll.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.spring.admission.AdminProperties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.bind.Binder;

class AdminDefaultsTest {

    /** The annotation is read before properties are bound. So it repeats the default. */
    @Test
    void anApplicationHasTheConsoleUnlessToldAsItsPropertySays() {
        boolean hasConsole = AdminAutoConfiguration.class.getAnnotation(ConditionalOnBooleanProperty.class)
                .matchIfMissing();
        assertThat(hasConsole).isEqualTo(new Binder().bindOrCreate("none", AdminProperties.class).enabled());
    }
}
