package io.atoll.spring.autoconfigure.structure;

import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Runs an application with the given properties, each of them prefixed with {@code atoll.} */
abstract class StructureRunner {

    static final String PARCEL = "type=" + Parcel.class.getName();
    static final String ALLOWED = "codec.allowed-classes=" + Parcel.class.getName();

    final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class));

    ApplicationContextRunner runner(String... properties) {
        String[] prefixed = new String[properties.length];
        for (int at = 0; at < properties.length; at++) {
            prefixed[at] = "atoll." + properties[at];
        }
        return runner.withPropertyValues(prefixed);
    }
}
