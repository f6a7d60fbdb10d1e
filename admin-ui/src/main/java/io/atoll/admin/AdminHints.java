package io.atoll.admin;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Names the files of the page and the description of the API to ahead-of-time processing. */
final class AdminHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/atoll/admin/page/**").registerPattern("io/atoll/admin/api/openapi.yaml");
    }
}
