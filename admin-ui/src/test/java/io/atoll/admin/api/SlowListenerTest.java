package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import io.atoll.World;
import io.atoll.admin.Console;
import io.atoll.spring.state.overview.Overview;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** Listeners that read slowly, or not at all, when states are larger than the buffers of the system. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SlowListenerTest {

    /** More than the buffers of both sockets hold. So a sender blocks if its listener does not read. */
    private static final int STATE_BYTES = 24 << 20;

    private static final int SMALL = 4 << 10;

    /**
     * The bytes that a slow listener reads ten times a second. Writes make progress, but a state does not arrive in
     * time.
     */
    private static final int SIP = 64 << 10;

    private static final String SENDER = "atoll-live-sender";
    private static final Pattern NUMBER = Pattern.compile("data:\\{\"number\":(\\d+)");

    /** The time after which the server gives up writing to a listener that does not read. */
    private static final Duration GIVES_UP = Duration.ofSeconds(8);

    /** A sender may be busy with one event for the patience of the feed. The next state then notices it. */
    private static final Duration DROPPED = LiveFeed.PATIENCE.plusSeconds(10);

    @TempDir
    Path folder;

    private World world;
    private Console console;

    /** Numbers the states, and makes them large. */
    @Configuration(proxyBeanMethods = false)
    static class LargeStates {

        @Bean
        JsonMapper json() {
            AtomicInteger states = new AtomicInteger();
            String padding = "x".repeat(STATE_BYTES);
            return JsonMapper.builder()
                    .addModule(new SimpleModule().addSerializer(Overview.class, new ValueSerializer<>() {
                        @Override
                        public void serialize(Overview overview, JsonGenerator to, SerializationContext context) {
                            to.writeStartObject();
                            to.writeNumberProperty("number", states.incrementAndGet());
                            to.writeStringProperty("padding", padding);
                            to.writeEndObject();
                        }
                    }))
                    .build();
        }
    }

    @BeforeEach
    void start() {
        world = World.named("shop").segment(4 << 20).open();
        console = Console.startLocalWith(world, LargeStates.class,
                "--server.tomcat.connection-timeout=" + GIVES_UP.toMillis());
    }

    @AfterEach
    void stop() {
        console.close();
        world.close();
    }

    private LiveFeed feed() {
        return console.context().getBean(LiveFeed.class);
    }

    /** Opens a listener whose side of the connection holds at most the given number of bytes. */
    private Socket listen(int receiveBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBytes);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), console.port()));
        socket.getOutputStream()
                .write("GET /atoll/api/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns the number of the next state. Reads its padding, too. */
    private static int nextState(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var number = NUMBER.matcher(line);
            if (number.lookingAt()) {
                return Integer.parseInt(number.group(1));
            }
        }
        throw new IOException("the stream has ended");
    }

    /** Counts virtual threads, which a stack trace of all threads does not contain. */
    private long senders() throws IOException {
        Path dump = folder.resolve("threads-" + System.nanoTime() + ".json");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), ThreadDumpFormat.JSON);
        return Files.readString(dump).split(Pattern.quote("\"" + SENDER + "\""), -1).length - 1;
    }

    /** Reads a little now and then. So the server's write makes progress and never times out. */
    private static void sip(Socket socket, ScheduledExecutorService clock) throws IOException {
        InputStream stream = socket.getInputStream();
        clock.scheduleAtFixedRate(() -> {
            try {
                stream.readNBytes(Math.min(stream.available(), SIP));
            } catch (IOException dropped) {
                // Ends the schedule.
                throw new UncheckedIOException(dropped);
            }
        }, 0, 100, TimeUnit.MILLISECONDS);
    }

    @Test
    void whoReadsSlowlyOrNotAtAllIsDroppedWithItsThreadWhileOthersAreTold() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
                Socket reader = listen(STATE_BYTES)) {
            try {
                BufferedReader lines = lines(reader);
                int first = nextState(lines);
                for (int listener = 1; listener < LiveFeed.MOST_LISTENERS; listener++) {
                    boolean sips = listener % 4 == 0;
                    slow.add(listen(sips ? 2 * SIP : SMALL));
                    if (sips) {
                        sip(slow.getLast(), clock);
                    }
                }
                await().atMost(DROPPED).until(() -> feed().listeners() == LiveFeed.MOST_LISTENERS);

                long sinceNanos = System.nanoTime();
                int last = first;
                while (feed().listeners() > 1) {
                    last = nextState(lines);
                    assertThat(Duration.ofNanos(System.nanoTime() - sinceNanos)).isLessThan(DROPPED);
                }
                System.out.printf("the others are dropped after %d ms, and who reads was told %d states%n",
                        (System.nanoTime() - sinceNanos) / 1_000_000, last - first);

                assertThat(last - first).isGreaterThan(3);
                await().atMost(DROPPED).untilAsserted(() -> assertThat(senders()).isOne());
                // There is a free place for another listener.
                try (Socket another = listen(STATE_BYTES)) {
                    assertThat(nextState(lines(another))).isGreaterThanOrEqualTo(last);
                }
            } finally {
                clock.shutdownNow();
                for (Socket socket : slow) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void whoReadsLateIsToldTheLatestStateAndNotThoseBefore() throws Exception {
        try (Socket reader = listen(STATE_BYTES); Socket late = listen(SMALL)) {
            BufferedReader lines = lines(reader);
            int seen = nextState(lines);
            for (int more = 0; more < 3; more++) {
                seen = nextState(lines);
            }
            BufferedReader later = lines(late);
            int one = nextState(later);
            int next = nextState(later);
            System.out.printf("after state %d comes state %d, while %d was told to another%n", one, next, seen);
            assertThat(one).isLessThan(seen);
            assertThat(next).isGreaterThan(one + 1).isGreaterThanOrEqualTo(seen);
        }
    }
}
