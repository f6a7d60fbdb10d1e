package io.atoll.spring.autoconfigure;

import io.atoll.spring.state.RefusedReload;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What became of the SSL bundle of ranks when it was loaded anew. */
final class BundleReloads {

    private final AtomicReference<@Nullable RefusedReload> refused = new AtomicReference<>();

    void tell(@Nullable RefusedReload last) {
        refused.set(last);
    }

    Optional<RefusedReload> refused() {
        return Optional.ofNullable(refused.get());
    }
}
