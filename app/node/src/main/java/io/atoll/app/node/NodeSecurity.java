package io.atoll.app.node;

import io.atoll.spring.admission.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.OAuth2ResourceServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Lets the configured users see the console. Users with a password sign in by HTTP Basic. Users of an identity provider
 * sign in by a {@linkplain SignIn session} or a bearer token. If any users are configured, no other caller may see the
 * console. Health, metrics and the example answer as they would without users.
 *
 * <p>No token against forged requests is needed. An action is sent as JSON from a page of this origin, which a foreign
 * page cannot do. The example refuses foreign pages.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(NodeUsers.class)
class NodeSecurity {

    /**
     * The header that the page sends with each request. With it, the browser does not ask for a password if there is
     * another way to sign in.
     */
    private static final String PAGE_HEADER = "Atoll-Page";

    private static final String[] PAGE_AND_API = {"/atoll", "/atoll/**"};
    private static final String[] API = {"/atoll/api", "/atoll/api/**"};
    private static final String AUDIENCES = "spring.security.oauth2.resourceserver.jwt.audiences";

    @Bean
    SecurityFilterChain nodeSecurityFilterChain(HttpSecurity http, NodeUsers users, ObjectProvider<SignIn> signIns,
            ObjectProvider<JwtDecoder> tokens, ObjectProvider<OAuth2ResourceServerProperties> resource) {
        SignIn signIn = signIns.getIfAvailable();
        boolean hasTokens = tokens.getIfAvailable() != null;
        boolean hasPasswords = !users.users().isEmpty();
        http.csrf(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable);
        if (signIn == null) {
            http.logout(AbstractHttpConfigurer::disable)
                    .sessionManagement(
                            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
        } else {
            signIn.addTo(http);
        }
        if (!hasPasswords && !hasTokens && signIn == null) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
        }
        AuthenticationEntryPoint unknown = (request, response, _) -> refuse(request, response, signIn, hasPasswords,
                hasTokens);
        http.exceptionHandling(handling -> handling.authenticationEntryPoint(unknown))
                .authorizeHttpRequests(
                        // The page itself says nothing about the world. It leads to the provider, and back to the view
                        // that is in its address.
                        requests -> requests.requestMatchers(signIn == null ? PAGE_AND_API : API)
                                .authenticated()
                                .requestMatchers(EndpointRequest.to("atoll"))
                                .authenticated()
                                .anyRequest()
                                .permitAll());
        if (hasPasswords) {
            http.httpBasic(basic -> basic.authenticationEntryPoint(unknown));
        }
        if (hasTokens) {
            JwtAuthenticationConverter converter = converter(resource.getObject().getJwt(), users);
            http.oauth2ResourceServer(
                    server -> server.jwt(token -> token.jwtAuthenticationConverter(converter)));
        }
        return http.build();
    }

    private static void refuse(HttpServletRequest request, HttpServletResponse response, @Nullable SignIn signIn,
            boolean hasPasswords, boolean hasTokens) throws IOException {
        if (signIn != null) {
            response.setHeader(SignIn.HEADER, signIn.path(request));
        }
        if (hasPasswords && (signIn == null || !isOfThePage(request))) {
            response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"Atoll\"");
        }
        if (hasTokens) {
            response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        Refusal.answer(response, HttpServletResponse.SC_UNAUTHORIZED, "Unauthorized",
                "this node answers its users: sign in, or send a password or token that it knows");
    }

    /** The stream of events sends no header of its own. */
    private static boolean isOfThePage(HttpServletRequest request) {
        String accepted = request.getHeader(HttpHeaders.ACCEPT);
        return request.getHeader(PAGE_HEADER) != null
                || accepted != null && accepted.contains(MediaType.TEXT_EVENT_STREAM_VALUE);
    }

    private static JwtAuthenticationConverter converter(OAuth2ResourceServerProperties.Jwt properties,
            NodeUsers users) {
        if (properties.getAudiences().isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(AUDIENCES, "",
                    "a token says whom it is for; without this property the node would take those for others");
        }
        ClaimedAuthorities authorities = new ClaimedAuthorities(users.authoritiesClaim());
        JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
        converter.setJwtGrantedAuthoritiesConverter(token -> new ArrayList<>(authorities.of(token.getClaims())));
        if (properties.getPrincipalClaimName() != null) {
            converter.setPrincipalClaimName(properties.getPrincipalClaimName());
        }
        return converter;
    }

    /** This bean exists even if there are no users. Otherwise Spring Boot would invent one. */
    @Bean
    UserDetailsService nodeUserDetails(NodeUsers users) {
        return new InMemoryUserDetailsManager(
                users.users().entrySet().stream().map(NodeSecurity::details).toList());
    }

    private static UserDetails details(Map.Entry<String, NodeUsers.User> named) {
        NodeUsers.User user = named.getValue();
        if (user.password().isBlank()) {
            throw new InvalidConfigurationPropertyValueException("node.users." + named.getKey() + ".password", "",
                    "a user has a password");
        }
        return User.withUsername(named.getKey())
                .password(user.password())
                .authorities(user.role() == NodeUsers.Role.ADMIN ? ClaimedAuthorities.ADMIN : ClaimedAuthorities.READER)
                .build();
    }

    @Bean
    PasswordEncoder nodePasswords() {
        return new Passwords();
    }

    /**
     * Compares the passwords of the configuration, which are plain or encoded. Each request is authenticated anew,
     * which is cheap for plain ones.
     */
    static final class Passwords implements PasswordEncoder {

        private final PasswordEncoder encoded = PasswordEncoderFactories.createDelegatingPasswordEncoder();

        @Override
        public @Nullable String encode(@Nullable CharSequence password) {
            return encoded.encode(password);
        }

        @Override
        public boolean matches(@Nullable CharSequence given, @Nullable String configured) {
            if (given == null || configured == null) {
                return false;
            }
            return configured.startsWith("{")
                    ? encoded.matches(given, configured)
                    : MessageDigest.isEqual(bytes(given.toString()), bytes(configured));
        }

        private static byte[] bytes(String password) {
            return password.getBytes(StandardCharsets.UTF_8);
        }
    }
}
