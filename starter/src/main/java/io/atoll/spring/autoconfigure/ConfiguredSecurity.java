package io.atoll.spring.autoconfigure;

import io.atoll.fabric.link.Secret;
import io.atoll.fabric.tcp.Security;
import io.atoll.spring.autoconfigure.AtollProperties.TcpCertificates;
import io.atoll.spring.autoconfigure.AtollProperties.TcpSettings;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * The proof of identity between ranks that the properties ask for: secrets, certificates, or none.
 *
 * @param bundles the SSL bundles by name; empty where Spring Boot's bundles are not configured
 * @param reloads receives the result of each reload of the bundle
 */
record ConfiguredSecurity(TcpSettings settings, ObjectProvider<SslBundles> bundles, BundleReloads reloads) {

    private static final String PREFIX = "atoll.fabric.tcp.";
    private static final String SECURITY = PREFIX + "security";
    private static final String SECRET = PREFIX + "secret";
    private static final String ENCRYPT = PREFIX + "encrypt";
    private static final String BUNDLE = PREFIX + "ssl.bundle";
    private static final String PEERS = PREFIX + "ssl.peers";
    private static final String TLS = "TLSv1.3";

    /**
     * Returns null if the properties say nothing.
     *
     * @throws RefusedSettingException if the properties contradict each other or are invalid
     */
    @Nullable Security find() {
        refuseContradictions();
        List<Secret> secrets = ConfiguredSecrets.of(PREFIX, settings.secret(), settings.previousSecrets());
        if (settings.security() == AtollProperties.TcpSecurity.NONE) {
            return Security.none();
        }
        Security.@Nullable Certificates certificates = certificates(settings.ssl());
        return secrets.isEmpty() && certificates == null
                ? null
                : new Security(secrets, certificates, certificates != null || settings.encrypt());
    }

    private void refuseContradictions() {
        boolean isOpen = settings.security() == AtollProperties.TcpSecurity.NONE;
        boolean hasBundle = settings.ssl().bundle() != null;
        if (isOpen && (settings.secret() != null || hasBundle)) {
            throw new RefusedSettingException(SECURITY,
                    "it says that anybody is let in, and " + (hasBundle ? BUNDLE : SECRET) + " says who is",
                    "Remove " + SECURITY + " to let in only ranks, or remove what says who they are.");
        }
        if (hasBundle && !settings.encrypt()) {
            throw new RefusedSettingException(ENCRYPT, "the certificates of an SSL bundle are a part of the encryption",
                    "Remove " + ENCRYPT + ", or use " + SECRET + " instead of " + BUNDLE + ".");
        }
        if (hasBundle && settings.ssl().peers().isEmpty()) {
            throw new RefusedSettingException(PEERS, "every process with a certificate of the same authority would be"
                    + " let in",
                    "Set " + PEERS + " to the names of which each rank's certificate has one, such as"
                            + " *.shop.example.com or spiffe://cluster.local/ns/shop/*, or to * for all.");
        }
        if (!hasBundle && !settings.ssl().peers().isEmpty()) {
            throw new RefusedSettingException(PEERS, "without an SSL bundle there are no certificates with names",
                    "Set " + BUNDLE + ", or remove " + PEERS + ".");
        }
    }

    private Security.@Nullable Certificates certificates(TcpCertificates ssl) {
        String name = ssl.bundle();
        if (name == null) {
            return null;
        }
        SslBundles known = bundles.getIfAvailable();
        if (known == null || !known.getBundleNames().contains(name)) {
            throw new RefusedSettingException(BUNDLE, "there is no SSL bundle of the name '" + name + "', but "
                    + (known == null ? List.of() : known.getBundleNames()),
                    "Define it under spring.ssl.bundle, such as spring.ssl.bundle.pem." + name + ".keystore.");
        }
        SslBundle bundle = known.getBundle(name);
        refuseIncomplete(name, bundle.getStores());
        SslOptions options = bundle.getOptions();
        if (options.getEnabledProtocols() != null && !Set.of(options.getEnabledProtocols()).contains(TLS)) {
            throw new RefusedSettingException(BUNDLE, "the bundle '" + name + "' does not allow " + TLS,
                    "Add " + TLS + " to the bundle's options.enabled-protocols.");
        }
        try {
            BundleContext context = new BundleContext(name, bundle, reloads::tell);
            Security.Certificates certificates = new Security.Certificates(context, ciphers(options), ssl.peers());
            known.addBundleUpdateHandler(name, context::update);
            return certificates;
        } catch (IllegalArgumentException | IllegalStateException failure) {
            throw new RefusedSettingException(BUNDLE, "the bundle '" + name + "' cannot be used: "
                    + failure.getMessage(), "Correct it under spring.ssl.bundle.");
        }
    }

    /**
     * Refuses an incomplete bundle. With it, Java would show no certificate, or would trust all public authorities.
     *
     * @throws RefusedSettingException if one of the stores is missing
     */
    static void refuseIncomplete(String name, SslStoreBundle stores) {
        if (stores.getKeyStore() == null || stores.getTrustStore() == null) {
            boolean lacksKey = stores.getKeyStore() == null;
            throw new RefusedSettingException(BUNDLE, "the bundle '" + name + "' has "
                    + (lacksKey ? "no certificate of its own" : "no authorities that it trusts"),
                    "Add " + (lacksKey ? "keystore" : "truststore") + " to the bundle under spring.ssl.bundle.");
        }
    }

    private static List<String> ciphers(SslOptions options) {
        return options.getCiphers() == null ? List.of() : List.of(options.getCiphers());
    }
}
