package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.admin.Console;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.map.MapPlace;
import io.atoll.queue.CircularQueue;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.StructureDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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
@Tag("slow")
class ActionTest {

    private static final String CLEAR = "/atoll/api/actions/clear";

    /** Contains all characters that Spring Security or Tomcat refuses in a path. */
    private static final String STRANGE = "a/b%2F;c\\d \u00e9";

    /** Enough for several looks, wherever the seed of this world's hashes puts the keys. */
    private static final int ENTRIES = 300;

    private static final String NAMED = "{\"name\":\"jobs\"}";

    /** A configuration like that of an application that uses Spring Security. */
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
            return new ConcurrentMapCacheManager("prices", STRANGE);
        }

        @Bean
        CircularQueue<Long> strangeQueue() {
            return world.queue(STRANGE + " queue", Long.class).capacity(100).open();
        }

        @Bean
        LongLongMap strangeMap() {
            return world.longMap(STRANGE + " map").capacity(100).open();
        }

        @Bean
        DistributedMap<String, Long> strangeKeys() {
            return world.map(STRANGE + " keys", String.class, Long.class).capacity(100).open();
        }

        @EventListener
        void audit(AuditApplicationEvent event) {
            if (List.of(Audit.TYPE, Audit.REFUSED_TYPE).contains(event.getAuditEvent().getType())) {
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
                "--atoll.maps.orders.capacity=" + ENTRIES, "--atoll.long-maps.hits.capacity=" + ENTRIES);
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
        assertThat(audited()).singleElement().satisfies(event -> {
            assertThat(event.getType()).isEqualTo(Audit.REFUSED_TYPE);
            assertThat(event.getPrincipal()).isEqualTo("eve");
            assertThat(event.getData()).containsEntry("action", "clear").containsEntry("address", "127.0.0.1");
        });
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
            clear        | {}                                         | 422 | name
            clear        | {"name":"orders"}                          | 422 | kind=DistributedMap
            clear        | {"name":"nobody"}                          | 404 | name=nobody
            clear        | {"name":"elsewhere"}                       | 409 | name=elsewhere
            resize       | {"name":"jobs"}                            | 422 | capacity
            resize       | {"name":"jobs","capacity":0}               | 409 | capacity
            migrate      | {"name":"jobs","host":1}                   | 422 | host=1
            resize       | {"name":"seen","capacity":5}               | 422 | kind=BloomFilter
            evict        | {"name":"none"}                            | 404 | name=none
            force-unlock | {"table":"accounts","index":10,"token":1}  | 404 | index=10
            force-unlock | {"table":"accounts","index":-1,"token":1}  | 404 | index=-1
            force-unlock | {"table":"none","index":1,"token":1}       | 404 | table=none
            force-unlock | {"index":1,"token":1}                      | 422 | table
            force-unlock | {"table":"accounts","token":1}             | 422 | index
            force-unlock | {"table":"accounts","index":1}             | 422 | token
            force-unlock | {"table":"accounts","index":1,"token":1}   | 409 | index=1
            force-unlock | {"table":"accounts","index":1.7,"token":1} | 422 | index=1.7
            force-unlock | {"table":"accounts","index":1,"token":1.7} | 422 | token=1.7
            force-unlock | {"table":"accounts","index":1,"token":9223372036854775808} | 422 | token=9223372036854775808
            force-unlock | {"table":"accounts","index":1,"token":"1.7"} | 422 | token=1.7
            force-unlock | {"table":"accounts","index":1,"token":true} | 422 | token=true
            resize       | {"name":"jobs","capacity":200.5}           | 422 | capacity=200.5
            migrate      | {"name":"jobs","host":0.5}                 | 422 | host=0.5
            migrate      | {"name":"jobs","host":4294967296}          | 422 | host=4294967296
            """)
    void whatCannotBeDoneIsAProblemThatSaysWhy(String action, String body, int status, String named) {
        assertThat(refused(send("/atoll/api/actions/" + action, "ada", body), status)).contains(named);
        assertThat(audited()).singleElement()
                .satisfies(event -> assertThat(event.getData().get("outcome").toString()).contains(named));
    }

    @Test
    void aQueueIsResizedAndMoved() {
        send("/atoll/api/actions/resize", "ada", "{\"name\":\"jobs\",\"capacity\":200}").expectStatus().isOk();
        assertThat(jobs.capacity()).isEqualTo(200);
        send("/atoll/api/actions/migrate", "ada", "{\"name\":\"jobs\",\"host\":0}").expectStatus().isOk();
        assertThat(jobs.host()).isZero();
    }

    @Test
    void aFilterIsCleared() {
        var seen = world.filter("seen", String.class).expectedElements(100).open();
        seen.add("one");
        send("/atoll/api/actions/clear", "ada", "{\"name\":\"seen\"}").expectStatus().isOk();
        assertThat(seen.mightContain("one")).isFalse();
    }

    @Test
    void aCacheIsEvicted() {
        var prices = console.context().getBean(CacheManager.class).getCache("prices");
        prices.put("tea", 3);
        send("/atoll/api/actions/evict", "ada", "{\"name\":\"prices\"}").expectStatus().isOk();
        assertThat(prices.get("tea")).isNull();
    }

    @Test
    void whatIsRetiredIsFreedAtOnce() {
        assertThat(done(send("/atoll/api/actions/reclaim", "ada", "{}"), ActionController.Reclaimed.class).freed())
                .isNotNegative();
    }

    @Test
    void aLockIsForcedOpenIfTheHolderIsStillTheOneThatIsMeant() throws Exception {
        Acquisition held = accounts.lockAt(3);
        long token = held.fencingToken();
        assertThat(refused(force("accounts", 3, token + 1), 409)).contains("somebody else");
        assertThat(held.isHeld()).isTrue();
        force("accounts", 3, token).expectStatus().isOk();
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        held.close();
    }

    /** JavaScript rounds numbers from 2^53 on, and tokens are larger from the 65th incarnation on. */
    @Test
    void aTokenIsShownAsATextAndTakenAsOne() throws Exception {
        Acquisition held = accounts.lockAt(5);
        String token = String.valueOf(held.fencingToken());
        String shown = console.client()
                .get()
                .uri("/atoll/api/lock?table=accounts&index=5")
                .headers(headers -> headers.setBasicAuth("ada", "1"))
                .exchange()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
        assertThat(shown).contains("\"token\":\"" + token + "\"");
        String large = String.valueOf(RecordedWorld.LARGE_TOKEN);
        refused(force("accounts", 5, large), 409);
        assertThat(audited()).singleElement()
                .satisfies(event -> assertThat(event.getData().get("subject").toString()).contains("token=" + large));
        force("accounts", 5, token).expectStatus().isOk();
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        held.close();
    }

    private static RestTestClient.ResponseSpec force(String table, long index, Object token) {
        return post(console, "/atoll/api/actions/force-unlock", "ada").contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("table", table, "index", index, "token", token))
                .exchange();
    }

    @Test
    void entriesAreShownByKeyAndTheFirstOfThemWithout() {
        var orders = world.map("orders", String.class, Long.class).capacity(ENTRIES).open();
        var hits = world.longMap("hits").capacity(ENTRIES).open();
        for (long key = 0; key < ENTRIES; key++) {
            orders.put("order " + key, key);
            hits.put(key, key * 2);
        }
        // A structure that was opened a moment ago is seen a second later.
        await().untilAsserted(
                () -> assertThat(entry("orders", "order 7")).isEqualTo(new Entry("order 7", true, "7")));
        assertThat(entry("orders", "none")).isEqualTo(new Entry("none", false, null));
        assertThat(entry("hits", "7")).isEqualTo(new Entry("7", true, "14"));
        assertThat(entry("hits", "700")).isEqualTo(new Entry("700", false, null));
        for (String map : List.of("orders", "hits")) {
            SomeEntries first = some(map, MapPlace.FIRST);
            assertThat(first.items()).hasSizeBetween(Structures.SOME_ENTRIES, ENTRIES - 1);
            assertThat(first.unread()).isEmpty();
            List<Entry> all = new ArrayList<>(first.items());
            for (MapPlace next = first.next(); next != null;) {
                SomeEntries more = some(map, next);
                all.addAll(more.items());
                next = more.next();
            }
            assertThat(all).hasSize(ENTRIES).doesNotHaveDuplicates();
        }
        assertThat(refused(console.client().get().uri("/atoll/api/entry?structure=hits&key=x").exchange(), 422))
                .contains("key=x");
    }

    private static SomeEntries some(String structure, MapPlace from) {
        return read(SomeEntries.class, "entries?structure={structure}&rank={rank}&home={home}", structure, from.rank(),
                from.home());
    }

    private static Entry entry(String structure, String key) {
        return done(console.client()
                .get()
                .uri("/atoll/api/entry?structure={structure}&key={key}", structure, key)
                .exchange(), Entry.class);
    }

    private static <T> T read(Class<T> type, String uri, Object... values) {
        return done(console.client().get().uri("/atoll/api/" + uri, values).exchange(), type);
    }

    @Test
    void whateverCharactersANameHasItIsLookedAt() throws Exception {
        console.context().getBean("strangeMap", LongLongMap.class).put(7, 14);
        world.map(STRANGE + " keys", String.class, Long.class).capacity(100).open().put(STRANGE, 8L);
        assertThat(read(StructureDetails.class, "structure?name={name}", STRANGE + " map").name())
                .isEqualTo(STRANGE + " map");
        assertThat(entry(STRANGE + " map", "7").value()).isEqualTo("14");
        assertThat(entry(STRANGE + " keys", STRANGE)).isEqualTo(new Entry(STRANGE, true, "8"));
        assertThat(read(SomeEntries.class, "entries?structure={name}", STRANGE + " map").items()).hasSize(1);
        try (Acquisition _ = world.lockTable(STRANGE).locks(10).open().lockAt(3)) {
            assertThat(read(LockTableState.class, "lock-table?name={name}", STRANGE).busy()).hasSize(1);
            assertThat(read(LockTableState.HeldLock.class, "lock?table={name}&index=3", STRANGE).holders()).hasSize(1);
        }
    }

    private static void act(String action, Map<String, ?> body) {
        post(console, "/atoll/api/actions/" + action, "ada").contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    @SuppressWarnings("unchecked")
    void whateverCharactersANameHasItIsActedOn() throws Exception {
        CircularQueue<Long> queue = console.context().getBean("strangeQueue", CircularQueue.class);
        queue.push(7L);
        String name = STRANGE + " queue";
        act("clear", Map.of("name", name));
        assertThat(queue.size()).isZero();
        act("resize", Map.of("name", name, "capacity", 200));
        assertThat(queue.capacity()).isEqualTo(200);
        act("migrate", Map.of("name", name, "host", 0));
        var cache = console.context().getBean(CacheManager.class).getCache(STRANGE);
        cache.put("tea", 3);
        act("evict", Map.of("name", STRANGE));
        assertThat(cache.get("tea")).isNull();
        Acquisition held = world.lockTable(STRANGE).locks(10).open().lockAt(4);
        force(STRANGE, 4, held.fencingToken()).expectStatus().isOk();
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        held.close();
    }

    @Test
    void entriesAreNotShownUnlessTheApplicationSaysSo() {
        try (World other = World.named("quiet").segment(4 << 20).open(); Console quiet = Console.startLocal(other)) {
            for (String path : List.of("entries?structure=hits", "entry?structure=hits&key=7")) {
                assertThat(refused(quiet.client().get().uri("/atoll/api/" + path).exchange(), 403))
                        .contains("atoll.admin.entries=true");
            }
        }
    }
}
