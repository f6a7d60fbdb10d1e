package io.atoll.autoconfigure;

import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;

/** The context of an SSL bundle as it was loaded last. */
final class BundleContext implements Supplier<SSLContext> {

    private static final Logger LOG = LoggerFactory.getLogger(BundleContext.class);

    private final String name;
    private volatile SSLContext context;

    BundleContext(String name, SslBundle bundle) {
        this.name = name;
        this.context = bundle.createSslContext();
    }

    /**
     * Connections that are made from now on use this one's key. Those that there are stay as they are. One that lacks
     * something is not used: without authorities Java would trust all public ones.
     */
    void update(SslBundle bundle) {
        try {
            StatedSecurity.refuseIncomplete(name, bundle.getStores());
            context = bundle.createSslContext();
        } catch (RuntimeException failure) {
            LOG.warn("what was loaded anew is not used, connections go on with the one before: bundle={}", name,
                    failure);
            return;
        }
        LOG.info("new connections use the certificate that was loaded anew: bundle={}", name);
    }

    @Override
    public SSLContext get() {
        return context;
    }
}
