package io.atoll.admin;

import io.atoll.spring.state.EpochState;
import io.atoll.spring.state.EpochSummary;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Names the files of the page, those of its libraries and the description of the API to ahead-of-time processing. */
final class AdminHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        // The method's return type does not name these two types. It answers with either of them.
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), EpochState.class,
                EpochSummary.class);
        hints.resources()
                .registerPattern("io/atoll/admin/page/**")
                .registerPattern("io/atoll/admin/api/openapi.yaml")
                .registerPattern("META-INF/resources/webjars/lit-html/*/*.js")
                .registerPattern("META-INF/resources/webjars/lit-html/*/directives/*.js")
                .registerPattern("META-INF/resources/webjars/uplot/*/dist/*");
    }
}
