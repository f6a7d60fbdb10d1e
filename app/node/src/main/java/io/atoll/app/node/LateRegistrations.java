package io.atoll.app.node;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.security.oauth2.client.autoconfigure.OAuth2ClientProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.OAuth2ClientPropertiesMapper;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;

/**
 * The client registrations of Spring Boot's properties. The node asks an identity provider for its metadata when a user
 * signs in, and not when the node starts. So a node starts without the provider, and finds it once it is there. All
 * that can be checked without the provider is checked at the start.
 */
final class LateRegistrations implements ClientRegistrationRepository {

    /** A request to a provider takes at most 30 s. Other users who sign in meanwhile wait for a part of that. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final OAuth2ClientProperties properties;
    private final Map<String, ClientRegistration> found = new ConcurrentHashMap<>();
    private final ReentrantLock asking = new ReentrantLock();

    LateRegistrations(OAuth2ClientProperties properties) {
        this.properties = properties;
        properties.getRegistration().forEach((id, registration) -> {
            String provider = registration.getProvider() == null ? id : registration.getProvider();
            OAuth2ClientProperties.Provider known = properties.getProvider().get(provider);
            if (known == null || known.getIssuerUri() == null) {
                found.put(id, registration(id));
            }
        });
    }

    /** Returns the registration that the page leads to. */
    String first() {
        return properties.getRegistration().keySet().iterator().next();
    }

    /** Returns true if there is a registration of this name. Asks no provider. */
    boolean has(String id) {
        return properties.getRegistration().containsKey(id);
    }

    @Override
    public @Nullable ClientRegistration findByRegistrationId(String id) {
        if (!has(id)) {
            return null;
        }
        ClientRegistration known = found.get(id);
        return known == null ? ask(id) : known;
    }

    private ClientRegistration ask(String id) {
        try {
            if (!asking.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the identity provider has not answered yet: registration=" + id);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the identity provider was asked", interrupted);
        }
        try {
            ClientRegistration known = found.get(id);
            ClientRegistration registration = known == null ? registration(id) : known;
            found.put(id, registration);
            return registration;
        } finally {
            asking.unlock();
        }
    }

    private ClientRegistration registration(String id) {
        OAuth2ClientProperties one = new OAuth2ClientProperties();
        one.getProvider().putAll(properties.getProvider());
        one.getRegistration().put(id, properties.getRegistration().get(id));
        return new OAuth2ClientPropertiesMapper(one).asClientRegistrations().get(id);
    }
}
