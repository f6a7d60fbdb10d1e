package io.atoll.app.node;

import static io.atoll.spring.admission.StrangersText.oneLine;

import io.atoll.spring.admission.ForeignPages;
import io.atoll.spring.admission.MinuteBudget;
import io.atoll.spring.admission.Refusal;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.OptionalLong;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.ConditionalOnOAuth2ClientRegistrationProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.OAuth2ClientProperties;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.OAuth2AccessTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2AuthorizationCodeGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.user.OAuth2UserAuthority;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.logout.LogoutSuccessHandler;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * Lets users of an identity provider sign in, by OpenID Connect and Spring Boot's properties
 * {@code spring.security.oauth2.client}. Without such a property none of this exists.
 * <pre>
 *   page ── api/... ──────────────────────────► 401, Atoll-Sign-In: /oauth2/authorization/NAME
 *   page keeps its view (#...), and goes there ► 302 to the provider
 *   provider ── /login/oauth2/code/NAME ──────► 302 to the page, with the cookie of a session
 *                                               or, where that failed, to the page with ?sign-in=REASON
 * </pre>
 *
 * <p>The session is in this process, so several nodes behind one address need session affinity. Browsers send the
 * session's cookie with no request of another site that changes anything ({@code SameSite=Lax} in
 * {@code application.yaml}). Actions are guarded as for other users.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnOAuth2ClientRegistrationProperties
@EnableConfigurationProperties(OAuth2ClientProperties.class)
class SignIn {

    /** The header of an answer 401 that says where to sign in. */
    static final String HEADER = "Atoll-Sign-In";

    /** The header of answers to signed-in users. It says where to post to sign out. */
    static final String OUT_HEADER = "Atoll-Sign-Out";

    /** The most sessions, which take some MB. Strangers may begin to sign in and not finish. */
    static final int MOST_SESSIONS = 4096;

    /** The most lines about each kind of failure that go to the log in a minute. */
    static final int MOST_FAILURES_A_MINUTE = 20;

    private static final String PAGE = "/atoll/";
    private static final String OUT = "/atoll/sign-out";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);

    private final ClaimedAuthorities authorities;
    private final LateRegistrations registrations;
    private final MinuteBudget unavailable = new MinuteBudget(MOST_FAILURES_A_MINUTE, System::nanoTime);
    private final MinuteBudget refused = new MinuteBudget(MOST_FAILURES_A_MINUTE, System::nanoTime);

    SignIn(NodeUsers users, OAuth2ClientProperties properties) {
        this.authorities = new ClaimedAuthorities(users.authoritiesClaim());
        this.registrations = new LateRegistrations(properties);
    }

    /** Replaces Spring Boot's bean, which asks the provider at the start. */
    @Bean
    LateRegistrations nodeClientRegistrations() {
        return registrations;
    }

    @Bean
    static WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> nodeSessions() {
        return server -> server.addContextCustomizers(context -> {
            StandardManager sessions = new StandardManager();
            sessions.setMaxActiveSessions(MOST_SESSIONS);
            context.setManager(sessions);
        });
    }

    /** Returns where a browser begins to sign in. */
    String path(HttpServletRequest request) {
        return request.getContextPath()
                + OAuth2AuthorizationRequestRedirectFilter.DEFAULT_AUTHORIZATION_REQUEST_BASE_URI
                + "/" + registrations.first();
    }

    /**
     * Sets no session policy. With one, a user with a password would get a session too, and that would outlive the
     * password.
     */
    void addTo(HttpSecurity http) {
        http.oauth2Login(login -> login.loginPage(PAGE)
                .clientRegistrationRepository(registrations)
                .authorizedClientRepository(new NoTokens())
                .defaultSuccessUrl(PAGE, true)
                .failureHandler(this::tellFailure)
                .tokenEndpoint(token -> token.accessTokenResponseClient(tokens()))
                .userInfoEndpoint(user -> user.userAuthoritiesMapper(this::mayDo)
                        .userService(users())
                        .oidcUserService(oidcUsers()))
                .withObjectPostProcessor(
                        new ObjectPostProcessor<OAuth2AuthorizationRequestRedirectFilter>() {
                            @Override
                            public <O extends OAuth2AuthorizationRequestRedirectFilter> O postProcess(
                                    O filter) {
                                filter.setAuthenticationFailureHandler(SignIn.this::tellNoBeginning);
                                return filter;
                            }
                        }))
                .logout(logout -> logout.logoutRequestMatcher(ofOwnPage(
                        PathPatternRequestMatcher.withDefaults().matcher(HttpMethod.POST, OUT)))
                        .logoutSuccessHandler(out()))
                .addFilterBefore(SignIn::sayWhereOut, AuthorizationFilter.class);
    }

    private static void sayWhereOut(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof OAuth2AuthenticationToken) {
            ((HttpServletResponse) response).setHeader(OUT_HEADER,
                    ((HttpServletRequest) request).getContextPath() + OUT);
        }
        chain.doFilter(request, response);
    }

    private static RequestMatcher ofOwnPage(RequestMatcher path) {
        return request -> path.matches(request) && ForeignPages.refusal(request) == null;
    }

    private Collection<? extends GrantedAuthority> mayDo(Collection<? extends GrantedAuthority> granted) {
        return granted.stream()
                .filter(OAuth2UserAuthority.class::isInstance)
                .map(authority -> authorities.of(((OAuth2UserAuthority) authority).getAttributes()))
                .findFirst()
                .orElse(ClaimedAuthorities.READER);
    }

    /**
     * Also ends the session at the provider, if the provider has an address for that. Answers with the place to go,
     * since a page that posts does not follow redirects.
     */
    private LogoutSuccessHandler out() {
        OidcClientInitiatedLogoutSuccessHandler handler = new OidcClientInitiatedLogoutSuccessHandler(registrations);
        handler.setDefaultTargetUrl(PAGE + "?sign-in=ended");
        handler.setPostLogoutRedirectUri("{baseUrl}" + PAGE + "?sign-in=ended");
        handler.setRedirectStrategy((request, response, target) -> {
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
            response.setHeader(HttpHeaders.LOCATION,
                    target.startsWith("/") ? request.getContextPath() + target : target);
        });
        return handler;
    }

    private void tellNoBeginning(HttpServletRequest request, HttpServletResponse response,
            AuthenticationException failure) throws IOException {
        String address = request.getRequestURI();
        if (!registrations.has(address.substring(address.lastIndexOf('/') + 1))) {
            // Strangers can send any number of these.
            LOG.debug("there is no such identity provider: {}", reason(failure));
            Refusal.answer(response, HttpServletResponse.SC_NOT_FOUND, "Not Found",
                    "this node knows no identity provider of this name");
            return;
        }
        warn(unavailable, "nobody can sign in now", failure);
        toPage(request, response, "unavailable");
    }

    private void tellFailure(HttpServletRequest request, HttpServletResponse response,
            AuthenticationException failure) throws IOException {
        if (failure instanceof OAuth2AuthenticationException known
                && known.getError().getErrorCode().equals("authorization_request_not_found")) {
            // Strangers can send any number of these.
            LOG.debug("a provider's answer that this node has not asked for: {}",
                    reason(failure));
            toPage(request, response, "unasked");
        } else {
            warn(refused, "somebody could not sign in", failure);
            toPage(request, response, "refused");
        }
    }

    /** Strangers can cause any number of these lines, so only some of them are written each minute. */
    private static void warn(MinuteBudget lines, String what, AuthenticationException failure) {
        OptionalLong unwritten = lines.take();
        if (unwritten.isPresent()) {
            LOG.warn("{}: {} unwrittenBefore={}", what, reason(failure),
                    unwritten.getAsLong());
        }
    }

    private static String reason(AuthenticationException failure) {
        return oneLine(String.valueOf(failure.getMessage()));
    }

    private static void toPage(HttpServletRequest request, HttpServletResponse response, String reason)
            throws IOException {
        response.sendRedirect(request.getContextPath() + PAGE + "?sign-in=" + reason);
    }

    private static ClientHttpRequestFactory requests() {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(PATIENCE);
        requests.setReadTimeout(PATIENCE);
        return requests;
    }

    /** Like Spring Security's client, which would wait for ever without timeouts. */
    private static OAuth2AccessTokenResponseClient<OAuth2AuthorizationCodeGrantRequest> tokens() {
        RestClientAuthorizationCodeTokenResponseClient client = new RestClientAuthorizationCodeTokenResponseClient();
        client.setRestClient(RestClient.builder()
                .requestFactory(requests())
                .configureMessageConverters(
                        converters -> converters.addCustomConverter(new FormHttpMessageConverter())
                                .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build());
        return client;
    }

    private static DefaultOAuth2UserService users() {
        RestTemplate operations = new RestTemplate(requests());
        operations.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService users = new DefaultOAuth2UserService();
        users.setRestOperations(operations);
        return users;
    }

    private static OidcUserService oidcUsers() {
        OidcUserService users = new OidcUserService();
        users.setOauth2UserService(users());
        return users;
    }

    /** The node calls no service in a user's name, so it keeps no tokens for that. */
    private static final class NoTokens implements OAuth2AuthorizedClientRepository {

        @Override
        public <T extends OAuth2AuthorizedClient> @Nullable T loadAuthorizedClient(String registration,
                Authentication user,
                HttpServletRequest request) {
            return null;
        }

        @Override
        public void saveAuthorizedClient(OAuth2AuthorizedClient client, Authentication user,
                HttpServletRequest request, HttpServletResponse response) {
            LOG.debug("signed in: user={} registration={}", user.getName(),
                    client.getClientRegistration().getRegistrationId());
        }

        @Override
        public void removeAuthorizedClient(String registration, Authentication user, HttpServletRequest request,
                HttpServletResponse response) {
            LOG.debug("no token was kept: user={} registration={}", user.getName(), registration);
        }
    }
}
