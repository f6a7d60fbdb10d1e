package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.LoggedLines;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.Refusal;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what strangers get, and a rank that sends what no rank sends. */
@Timeout(180)
@Tag("network")
class TcpStrangersTest {

    private static final long WORD = TcpRanks.FREE;

    private TcpRanks ranks;

    @BeforeEach
    void attach(@TempDir Path folder) {
        ranks = new TcpRanks(folder, settings -> settings.connectTimeout(Duration.ofSeconds(3)));
    }

    /** Ranks continue, no matter what has happened. */
    @AfterEach
    void detach() {
        ranks.fabric(0).getAndAdd(1, WORD, 1);
        ranks.close();
    }

    private Attachment owner() {
        return ranks.attachment(1);
    }

    private long word() {
        LocalMemory segment = ranks.fabric(1).local();
        return segment.getVolatile(WORD);
    }

    @Test
    void aStrangerGetsNothing() throws Exception {
        for (String said : List.of("GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc",
                "SSH-2.0-OpenSSH_9.9\r\n", "ATOLLTCX and so on")) {
            try (RawRank stranger = new RawRank(owner())) {
                stranger.send(said.getBytes(StandardCharsets.ISO_8859_1));
                assertThat(stranger.isClosed()).as(said).isTrue();
            }
        }
    }

    @Test
    void aStrangerWhoSaysNothingIsClosedAfterSomeSeconds() throws Exception {
        try (RawRank silent = new RawRank(owner()); RawRank slow = new RawRank(owner())) {
            slow.send("ATOLLTCP".getBytes(StandardCharsets.US_ASCII));
            assertThat(silent.isClosed()).isTrue();
            assertThat(slow.isClosed()).isTrue();
        }
    }

    /** Each byte is what a rank would send, and comes in time, but all of them together take too long. */
    @Test
    void aStrangerWhoSaysOneByteAfterTheOtherIsClosedAfterSomeSeconds() throws Exception {
        try (RawRank slow = new RawRank(owner()); Arena arena = Arena.ofConfined()) {
            byte[] request = MutatedBytes.whole(TcpHandshake.preamble(false, arena).toArray(JAVA_BYTE),
                    TcpHandshake.hello(new ConnectRequest(TcpRanks.WORLD, 0, 1, 1, 1, 0, 0), false, arena)
                            .toArray(JAVA_BYTE));
            slow.socket().setSoTimeout(400);
            boolean isClosed = false;
            int said = 0;
            while (!isClosed && said < request.length - 1) {
                slow.send(new byte[]{request[said++]});
                isClosed = slow.isClosedSoon();
            }
            assertThat(isClosed).isTrue();
        }
    }

    /** It uses a world of its own: other tests that run at the same time write to the same log. */
    @Test
    void strangersDoNotHideFromTheLogARankThatGoesWrong(@TempDir Path own) throws Exception {
        try (TcpRanks logged = new TcpRanks("tcp-logged-strangers", own);
                RawRank stranger = new RawRank(logged.attachment(1));
                RawRank rank = new RawRank(logged.attachment(1));
                LoggedLines log = new LoggedLines(Listener.class,
                        "owner=atoll-tcp-" + logged.world().name() + "-1 ")) {
            stranger.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(stranger.isClosed()).isTrue();
            rank.connect(logged.world(), 0, 1);
            rank.request(Frame.GET_AND_ADD, 8, WORD, 3);
            rank.send(rank.request(Frame.GET_AND_ADD, 8, WORD, 3));
            assertThat(rank.isClosed()).isTrue();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(log.lines()).anyMatch(line -> line.contains(" from=stranger"))
                            .anyMatch(line -> line.contains(" from=rank")));
        }
    }

    @Test
    void whoeverSpeaksAnotherVersionIsToldSoAndNothingElse() throws Exception {
        try (RawRank newer = new RawRank(owner()); Arena arena = Arena.ofConfined()) {
            byte[] preamble = TcpHandshake.preamble(false, arena).toArray(JAVA_BYTE);
            preamble[(int) TcpHandshake.PREAMBLE.byteOffset(PathElement.groupElement("version"))]++;
            newer.send(preamble);
            MemorySegment answer = arena.allocate(Handshake.REFUSAL);
            answer.copyFrom(MemorySegment.ofArray(newer.receive((int) answer.byteSize())));
            assertThat(TcpHandshake.readRefusal(answer)).isEqualTo(Refusal.OTHER_LAYOUT);
            assertThat(Refusal.OTHER_LAYOUT.words()).contains("another version of Atoll");
            assertThat(newer.isClosed()).isTrue();
        }
    }

    /** The thread that serves this rank waits for it. Threads that serve other ranks do not. */
    @Test
    void nobodyWaitsForARankThatDoesNotReadItsAnswers() throws Exception {
        try (RawRank slow = new RawRank(owner())) {
            assertThat(slow.connect(TcpRanks.WORLD, 0, 1, PeerConnections.MOST_LANES - 1)).isTrue();
            Thread sender = slow.askUntilNothingMoves();
            for (int addition = 0; addition < 1000; addition++) {
                assertThat(ranks.fabric(0).getAndAdd(1, WORD + 8, 1)).isEqualTo(addition);
            }
            assertThat(sender.isAlive()).isTrue();
        }
    }

    @Test
    void aRankOfAnotherWorldIsTurnedAway() throws Exception {
        try (RawRank other = new RawRank(owner())) {
            assertThat(other.connect(new WorldIdentity("another", 3), 0, 1)).isFalse();
            assertThat(other.isClosed()).isTrue();
        }
    }

    @Test
    void aRankHasNoMoreConnectionsThanItCanMean() throws Exception {
        for (int lane : new int[]{-1, PeerConnections.MOST_LANES, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            try (RawRank greedy = new RawRank(owner())) {
                assertThat(greedy.connect(TcpRanks.WORLD, 0, 1, lane)).isFalse();
                greedy.receive(8); // the rest of the answer
                assertThat(greedy.isClosed()).isTrue();
            }
        }
        try (RawRank last = new RawRank(owner())) {
            assertThat(last.connect(TcpRanks.WORLD, 0, 1, PeerConnections.MOST_LANES - 1)).isTrue();
        }
    }

    /**
     * A rank that continues on a new connection may be undoing what it had under way on the old one. So nothing of the
     * old one is executed any more.
     */
    @Test
    void aConnectionThatIsReplacedIsExecutedNoMore() throws Exception {
        try (RawRank former = new RawRank(owner());
                RawRank beside = new RawRank(owner());
                RawRank next = new RawRank(owner())) {
            assertThat(former.connect(TcpRanks.WORLD, 0, 1)).isTrue();
            assertThat(beside.connect(TcpRanks.WORLD, 0, 1, Tcp.LANES)).isTrue();
            beside.receive(8);
            byte[] request = former.request(Frame.GET_AND_ADD, 8, WORD, 3);
            former.send(Arrays.copyOf(request, request.length - 1));

            assertThat(next.connect(TcpRanks.WORLD, 0, 1)).isTrue();

            former.finish(request);
            assertThat(former.isClosed()).isTrue();
            next.send(next.request(Frame.GET_AND_ADD, 8, WORD, 0));
            assertThat(next.answer()).isZero();
            beside.send(beside.request(Frame.GET_AND_ADD, 8, WORD, 0));
            assertThat(beside.answer()).as("another lane of the rank goes on").isZero();
        }
    }

    @Test
    void requestsComeInPiecesAndTogether() throws Exception {
        try (RawRank rank = new RawRank(owner())) {
            assertThat(rank.connect(TcpRanks.WORLD, 0, 1)).isTrue();
            byte[] first = rank.request(Frame.GET_AND_ADD, 8, WORD, 3);
            for (byte each : first) {
                rank.send(new byte[]{each});
            }
            assertThat(rank.answer()).isZero();
            byte[] second = rank.request(Frame.GET_AND_ADD, 8, WORD, 4);
            byte[] third = rank.request(Frame.GET_AND_ADD, 8, WORD, 5);
            byte[] both = Arrays.copyOf(second, second.length + third.length);
            System.arraycopy(third, 0, both, second.length, third.length);
            rank.send(both);
            assertThat(List.of(rank.answer(), rank.answer())).containsExactly(3L, 7L);
        }
    }

    @Test
    void aVerbOutsideOfTheSegmentIsAnsweredAndTheConnectionLives() throws Exception {
        try (RawRank rank = new RawRank(owner())) {
            rank.connect(TcpRanks.WORLD, 0, 1);
            rank.send(rank.request(Frame.GET_AND_ADD, 8, TcpRanks.SEGMENT_BYTES, 3));
            assertThat(rank.answer()).isEqualTo(-2);
            rank.send(rank.request(Frame.GET_AND_ADD, 8, WORD, 3));
            assertThat(rank.answer()).isZero();
        }
    }

    @Test
    void aRankThatCountsWronglyIsClosed() throws Exception {
        try (RawRank rank = new RawRank(owner())) {
            rank.connect(TcpRanks.WORLD, 0, 1);
            rank.request(Frame.GET_AND_ADD, 8, WORD, 3);
            rank.send(rank.request(Frame.GET_AND_ADD, 8, WORD, 3));
            assertThat(rank.isClosed()).isTrue();
            assertThat(word()).isZero();
        }
    }

    @Test
    void mutatedRequestsCloseTheirConnectionAtMost() throws Exception {
        Random random = new Random(4711);
        for (int round = 0; round < 200; round++) {
            try (RawRank rank = new RawRank(owner())) {
                rank.connect(TcpRanks.WORLD, 0, 1);
                byte[] request = rank.request(Frame.WRITE, 16, WORD + 64, 1, 2);
                request[random.nextInt(request.length)] = (byte) random.nextInt();
                rank.send(Arrays.copyOf(request, 1 + random.nextInt(request.length)));
                rank.socket().shutdownOutput();
            }
        }
    }
}
