package io.atoll.app.node;

import io.atoll.admin.api.ActionGuard;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Lets the users that are configured see the console, by HTTP Basic. Where there are any nobody else does. Health, metrics
 * and what there is to try answer as they would without.
 *
 * <p>No token against forged requests is asked for: an action is sent as JSON from a page of this origin, which a foreign
 * page cannot do, and what there is to try refuses foreign pages.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(NodeUsers.class)
class NodeSecurity {

    private static final String[] CONSOLE = {"/atoll", "/atoll/**"};

    @Bean
    SecurityFilterChain nodeSecurityFilterChain(HttpSecurity http, NodeUsers users) {
        http.csrf(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
        if (users.users().isEmpty()) {
            http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll());
        } else {
            http.httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(
                            requests -> requests.requestMatchers(CONSOLE)
                                    .authenticated()
                                    .requestMatchers(EndpointRequest.to("atoll"))
                                    .authenticated()
                                    .anyRequest()
                                    .permitAll());
        }
        return http.build();
    }

    /** Also where there are no users: else Spring Boot would make one up. */
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
                .authorities(user.role() == NodeUsers.Role.ADMIN
                        ? new String[]{ActionGuard.AUTHORITY}
                        : new String[]{"ATOLL_READER"})
                .build();
    }

    @Bean
    PasswordEncoder nodePasswords() {
        return new Passwords();
    }

    /**
     * Those of the configuration, which are there as they are, or encoded. Each request is authenticated anew, so it is
     * cheap for the former.
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
