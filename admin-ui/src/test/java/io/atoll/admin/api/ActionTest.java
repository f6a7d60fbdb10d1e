package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.admin.Console;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.queue.CircularQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.client.RestTestClient;

@ExtendWith(OutputCaptureExtension.class)
class ActionTest {

    private static final String CLEAR = "/atoll/api/structures/jobs/clear";
    private static final String NAMED = "{\"name\":\"jobs\"}";

    /** Such as an application has that uses Spring Security. */
    @Configuration(proxyBeanMethods = false)
    static class Users {

        private final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ada").password("{noop}1").authorities("ATOLL_ADMIN").build(),
                    User.withUsername("grace").password("{noop}1").roles("ATOLL_ADMIN").build(),
                    User.withUsername("eve").password("{noop}1").authorities("READER").build());
        }

        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager("prices");
        }

        @EventListener
        void audit(AuditApplicationEvent event) {
            if (event.getAuditEvent().getType().equals(Audit.TYPE)) {
                audited.add(event.getAuditEvent());
            }
        }
    }

    private static World world;
    private static Console console;
    private static CircularQueue<Long> jobs;
    private static LockTable accounts;

    @BeforeAll
    static void start() {
        world = World.named("shop").segment(8 << 20).open();
        console = Console.startSecured(world, Users.class, "--atoll.admin.actions=true", "--atoll.admin.entries=true",
                "--atoll.queues.jobs.type=java.lang.Long", "--atoll.queues.jobs.capacity=100",
                "--atoll.filters.seen.type=java.lang.String", "--atoll.filters.seen.expected-elements=100",
                "--atoll.maps.orders.key-type=java.lang.String", "--atoll.maps.orders.value-type=java.lang.Long",
                "--atoll.maps.orders.capacity=100", "--atoll.long-maps.hits.capacity=100");
        jobs = world.queue("jobs", Long.class).capacity(100).open();
        accounts = world.lockTable("accounts").locks(10).open();
        world.longMap("elsewhere").capacity(10).open();
    }

    @AfterAll
    static void stop() {
        console.close();
        world.close();
    }

    @BeforeEach
    void forget() {
        console.context().getBean(Users.class).audited.clear();
    }

    private static List<AuditEvent> audited() {
        return console.context().getBean(Users.class).audited;
    }

    private static RestTestClient.RequestBodySpec post(Console at, String path, String user) {
        RestTestClient.RequestBodySpec request = at.client().post().uri(path);
        return user.isEmpty() ? request : request.headers(headers -> headers.setBasicAuth(user, "1"));
    }

    private static RestTestClient.ResponseSpec send(String path, String user, String body) {
        return post(console, path, user).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
    }

    private static String refused(RestTestClient.ResponseSpec answer, int status) {
        return answer.expectStatus()
                .isEqualTo(status)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody()
                .getDetail();
    }

    private static <T> T done(RestTestClient.ResponseSpec answer, Class<T> type) {
        return answer.expectStatus().isOk().expectBody(type).returnResult().getResponseBody();
    }

    private static Session session(Console at, String user) {
        RestTestClient.RequestHeadersSpec<?> request = at.client().get().uri("/atoll/api/session");
        if (!user.isEmpty()) {
            request.headers(headers -> headers.setBasicAuth(user, "1"));
        }
        return done(request.exchange(), Session.class);
    }

    @Test
    void thereAreNoActionsUnlessTheApplicationSaysSo() {
        try (World other = World.named("quiet").segment(4 << 20).open(); Console quiet = Console.startLocal(other)) {
            assertThat(refused(post(quiet, CLEAR, "").contentType(MediaType.APPLICATION_JSON).body(NAMED).exchange(),
                    403)).contains("atoll.admin.actions=true");
            assertThat(session(quiet, "")).satisfies(session -> {
                assertThat(session.user()).isNull();
                assertThat(session.mayAct()).isFalse();
                assertThat(session.actions()).isFalse();
            });
        }
    }

    @Test
    void whoIsOnThisMachineAndNotAuthenticatedMayNotAct() {
        assertThat(refused(send(CLEAR, "", NAMED), 403)).contains("nobody is authenticated");
        assertThat(session(console, "").mayAct()).isFalse();
        try (World other = World.named("open").segment(4 << 20).open();
                Console open = Console.startLocal(other, "--atoll.admin.actions=true", "--atoll.admin.exposed=true")) {
            assertThat(refused(post(open, CLEAR, "").contentType(MediaType.APPLICATION_JSON).body(NAMED).exchange(),
                    403)).contains("nobody is authenticated");
        }
    }

    @Test
    void aUserWithoutTheAuthorityMayNotAct() {
        assertThat(refused(send(CLEAR, "eve", NAMED), 403)).contains("ATOLL_ADMIN", "user=eve");
        assertThat(session(console, "eve")).satisfies(session -> {
            assertThat(session.user()).isEqualTo("eve");
            assertThat(session.mayAct()).isFalse();
            assertThat(session.why()).contains("ATOLL_ADMIN");
        });
        assertThat(audited()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada", "grace"})
    void aUserWithTheAuthorityOrTheRoleActsAndThatIsWrittenDown(String user, CapturedOutput output) {
        jobs.push(7L);
        jobs.push(8L);
        assertThat(session(console, user).mayAct()).isTrue();
        assertThat(done(send(CLEAR, user, NAMED), ActionController.Done.class).removed()).isEqualTo(2);
        assertThat(jobs.size()).isZero();
        assertThat(audited()).singleElement().satisfies(event -> {
            assertThat(event.getPrincipal()).isEqualTo(user);
            assertThat(event.getData()).isEqualTo(Map.of("action", "clear", "subject", "jobs", "outcome", "done"));
        });
        assertThat(output).contains("an operator has acted: user=" + user + " action=clear subject=jobs outcome=done");
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Origin, null", "Origin, https://127.0.0.1",
        "Origin, http://127.0.0.1:1", "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site"})
    void aPageOfAnotherOriginMayNotAct(String header, String value) {
        assertThat(refused(post(console, CLEAR, "ada").header(header, value)
                .contentType(MediaType.APPLICATION_JSON)
                .body(NAMED)
                .exchange(), 403)).contains("must not act");
    }

    @Test
    void thePageItselfMayAct() {
        post(console, CLEAR, "ada").header("Origin", "http://127.0.0.1:" + console.port())
                .header("Sec-Fetch-Site", "same-origin")
                .contentType(MediaType.APPLICATION_JSON)
                .body(NAMED)
                .exchange()
                .expectStatus()
                .isOk();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/jsonp"})
    void whatIsNoJsonIsNoAction(String type) {
        assertThat(refused(post(console, CLEAR, "ada").contentType(MediaType.parseMediaType(type))
                .body(NAMED)
                .exchange(), 415)).contains("application/json");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            structures/jobs/clear            | {}                                 | 422 | name
            structures/jobs/clear            | {"name":"orders"}                  | 422 | path=jobs
            structures/orders/clear          | {"name":"orders"}                  | 422 | kind=DistributedMap
            structures/nobody/clear          | {"name":"nobody"}                  | 404 | name=nobody
            structures/elsewhere/clear       | {"name":"elsewhere"}               | 409 | name=elsewhere
            structures/jobs/resize           | {"name":"jobs"}                    | 422 | capacity
            structures/jobs/resize           | {"name":"jobs","capacity":0}       | 409 | capacity
            structures/jobs/migrate          | {"name":"jobs","host":1}           | 422 | host=1
            structures/seen/resize           | {"name":"seen","capacity":5}       | 422 | kind=BloomFilter
            caches/none/evict                | {"name":"none"}                    | 404 | name=none
            locks/accounts/10/force-unlock   | {"token":1}                        | 404 | index=10
            locks/none/1/force-unlock        | {"token":1}                        | 404 | table=none
            locks/accounts/1/force-unlock    | {}                                 | 422 | token
            locks/accounts/1/force-unlock    | {"token":1}                        | 409 | index=1
            """)
    void whatCannotBeDoneIsAProblemThatSaysWhy(String path, String body, int status, String named) {
        assertThat(refused(send("/atoll/api/" + path, "ada", body), status)).contains(named);
        assertThat(audited()).singleElement()
                .satisfies(event -> assertThat(event.getData().get("outcome").toString()).contains(named));
    }

    @Test
    void aQueueIsResizedAndMoved() {
        send("/atoll/api/structures/jobs/resize", "ada", "{\"name\":\"jobs\",\"capacity\":200}").expectStatus().isOk();
        assertThat(jobs.capacity()).isEqualTo(200);
        send("/atoll/api/structures/jobs/migrate", "ada", "{\"name\":\"jobs\",\"host\":0}").expectStatus().isOk();
        assertThat(jobs.host()).isZero();
    }

    @Test
    void aFilterIsCleared() {
        var seen = world.filter("seen", String.class).expectedElements(100).open();
        seen.add("one");
        send("/atoll/api/structures/seen/clear", "ada", "{\"name\":\"seen\"}").expectStatus().isOk();
        assertThat(seen.mightContain("one")).isFalse();
    }

    @Test
    void aCacheIsEvicted() {
        var prices = console.context().getBean(CacheManager.class).getCache("prices");
        prices.put("tea", 3);
        send("/atoll/api/caches/prices/evict", "ada", "{\"name\":\"prices\"}").expectStatus().isOk();
        assertThat(prices.get("tea")).isNull();
    }

    @Test
    void whatIsRetiredIsFreedAtOnce() {
        assertThat(done(send("/atoll/api/epochs/reclaim", "ada", "{}"), ActionController.Reclaimed.class).freed())
                .isNotNegative();
    }

    @Test
    void aLockIsForcedOpenIfTheHolderIsStillTheOneThatIsMeant() throws Exception {
        Acquisition held = accounts.lockAt(3);
        long token = held.fencingToken();
        String path = "/atoll/api/locks/accounts/3/force-unlock";
        assertThat(refused(send(path, "ada", "{\"token\":" + (token + 1) + "}"), 409)).contains("somebody else");
        assertThat(held.isHeld()).isTrue();
        send(path, "ada", "{\"token\":" + token + "}").expectStatus().isOk();
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        held.close();
    }

    @Test
    void entriesAreShownByKeyAndTheFirstOfThemWithout() {
        var orders = world.map("orders", String.class, Long.class).capacity(100).open();
        var hits = world.longMap("hits").capacity(100).open();
        for (long key = 0; key < 30; key++) {
            orders.put("order " + key, key);
            hits.put(key, key * 2);
        }
        assertThat(entry("orders/entries/order 7")).isEqualTo(new Entry("order 7", true, "7"));
        assertThat(entry("orders/entries/none")).isEqualTo(new Entry("none", false, null));
        assertThat(entry("hits/entries/7")).isEqualTo(new Entry("7", true, "14"));
        assertThat(entry("hits/entries/70")).isEqualTo(new Entry("70", false, null));
        for (String map : List.of("orders", "hits")) {
            assertThat(console.client()
                    .get()
                    .uri("/atoll/api/structures/" + map + "/entries")
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectBody(new ParameterizedTypeReference<Listed<Entry>>() {})
                    .returnResult()
                    .getResponseBody()
                    .items()).hasSize(Structures.FIRST_ENTRIES);
        }
        assertThat(refused(console.client().get().uri("/atoll/api/structures/hits/entries/x").exchange(), 422))
                .contains("key=x");
    }

    private static Entry entry(String path) {
        return done(console.client().get().uri("/atoll/api/structures/" + path).exchange(), Entry.class);
    }

    @Test
    void entriesAreNotShownUnlessTheApplicationSaysSo() {
        try (World other = World.named("quiet").segment(4 << 20).open(); Console quiet = Console.startLocal(other)) {
            for (String path : List.of("hits/entries", "hits/entries/7")) {
                assertThat(refused(quiet.client().get().uri("/atoll/api/structures/" + path).exchange(), 403))
                        .contains("atoll.admin.entries=true");
            }
        }
    }
}
