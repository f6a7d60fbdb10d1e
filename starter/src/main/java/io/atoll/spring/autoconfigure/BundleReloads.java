package io.atoll.spring.autoconfigure;

import io.atoll.spring.state.RefusedReload;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The result of the last reload of the ranks' SSL bundle. */
final class BundleReloads {

    private final AtomicReference<@Nullable RefusedReload> refused = new AtomicReference<>();

    void tell(@Nullable RefusedReload last) {
        refused.set(last);
    }

    Optional<RefusedReload> refused() {
        return Optional.ofNullable(refused.get());
    }
}
