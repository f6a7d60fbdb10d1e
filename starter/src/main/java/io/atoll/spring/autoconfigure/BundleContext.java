package io.atoll.spring.autoconfigure;

import io.atoll.spring.state.RefusedReload;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.NestedExceptionUtils;

/** The SSL context of the last loaded version of an SSL bundle that could be used. */
final class BundleContext implements Supplier<SSLContext> {

    private static final Logger LOG = LoggerFactory.getLogger(BundleContext.class);

    private final String name;
    private final Consumer<@Nullable RefusedReload> health;
    private volatile SSLContext context;
    private @Nullable RefusedReload refused; // guarded by this

    /** @param health receives the refused reload, and null when a later reload can be used again */
    BundleContext(String name, SslBundle bundle, Consumer<@Nullable RefusedReload> health) {
        this.name = name;
        this.health = health;
        this.context = bundle.createSslContext();
    }

    /**
     * Lets new connections use the key of this bundle. Existing connections stay as they are. A bundle without a key or
     * without authorities is not used: without authorities Java would trust all public ones.
     */
    synchronized void update(SslBundle bundle) {
        try {
            ConfiguredSecurity.refuseIncomplete(name, bundle.getStores());
            context = bundle.createSslContext();
        } catch (RuntimeException failure) {
            LOG.warn("what was loaded anew is not used, connections go on with the one before: bundle={}", name,
                    failure);
            tell(new RefusedReload(name, refused == null ? Instant.now() : refused.since(),
                    String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage())));
            return;
        }
        LOG.info("new connections use the certificate that was loaded anew: bundle={}", name);
        tell(null);
    }

    private void tell(@Nullable RefusedReload now) {
        refused = now;
        health.accept(now);
    }

    @Override
    public SSLContext get() {
        return context;
    }
}
