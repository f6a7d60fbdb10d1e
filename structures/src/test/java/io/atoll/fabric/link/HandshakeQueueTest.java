package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.LoggedLines;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which connection comes in next, and which one has to give way. */
class HandshakeQueueTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Origin STRANGER = origin(2);
    private static final Origin RANK = origin(3);

    private final String owner = "entrance-" + UUID.randomUUID();
    private final List<String> turnedAway = new ArrayList<>();
    private final HandshakeQueue<String> handshakeQueue = new HandshakeQueue<>(owner, PATIENCE.toMillis(),
            turnedAway::add);

    private static Origin origin(int last) {
        return Origin.of(InetAddress.ofLiteral("10.0.0." + last));
    }

    private void enter(String name, int count, Origin origin, long nowNanos) throws IOException {
        for (int index = 0; index < count; index++) {
            handshakeQueue.enter(name + index, origin, nowNanos);
        }
    }

    /** Returns the connections whose handshake may begin. */
    private List<String> begin(long nowNanos) throws IOException {
        List<String> begun = new ArrayList<>();
        for (String next = handshakeQueue.next(nowNanos); next != null; next = handshakeQueue.next(nowNanos)) {
            begun.add(next);
        }
        return begun;
    }

    private static List<String> names(String name, int from, int to) {
        return IntStream.range(from, to).mapToObj(index -> name + index).toList();
    }

    @Test
    void handshakesOfOneOriginBeginInTheOrderInWhichTheyCameAndNoneIsTurnedAway() throws IOException {
        int all = HandshakeQueue.MOST_AT_ONCE + HandshakeQueue.MOST_WAITING;
        enter("a", HandshakeQueue.MOST_AT_ONCE, RANK, 0);
        List<String> begun = new ArrayList<>(begin(0));
        for (int index = HandshakeQueue.MOST_AT_ONCE; index < all; index++) {
            handshakeQueue.enter("a" + index, RANK, 0);
        }
        assertThat(begin(0)).as("no room yet").isEmpty();
        for (int index = 0; index < all; index++) {
            handshakeQueue.leave(begun.get(index));
            begun.addAll(begin(0));
        }
        assertThat(begun).isEqualTo(names("a", 0, all));
        assertThat(turnedAway).isEmpty();
        assertThat(handshakeQueue.underWay()).isZero();
        assertThat(handshakeQueue.waiting()).isZero();
    }

    @Test
    void strangersWhoseHandshakesNeverEndMakeRoomForOneFromElsewhere() throws IOException {
        enter("stranger", 10 * HandshakeQueue.MOST_AT_ONCE, STRANGER, 0);
        begin(0);

        handshakeQueue.enter("rank", RANK, 1);

        assertThat(begin(1)).as("the one that was turned away is still served").isEmpty();
        assertThat(turnedAway).endsWith("stranger0").doesNotContain("rank");
        assertThat(handshakeQueue.underWay()).isEqualTo(HandshakeQueue.MOST_AT_ONCE);
        int before = turnedAway.size();
        assertThat(begin(1)).isEmpty();
        assertThat(turnedAway).as("one at a time").hasSize(before);
        handshakeQueue.leave("stranger0");
        assertThat(begin(1)).containsExactly("rank");
    }

    @Test
    void whereTheLineIsFullTheLastOfTheLargestOriginGivesWay() throws IOException {
        enter("stranger", HandshakeQueue.MOST_AT_ONCE, STRANGER, 0);
        begin(0);
        enter("waiting", HandshakeQueue.MOST_WAITING, STRANGER, 0);
        handshakeQueue.enter("rank", RANK, 0);
        assertThat(turnedAway).containsExactly("waiting" + (HandshakeQueue.MOST_WAITING - 1));
        handshakeQueue.enter("one more", STRANGER, 0);
        assertThat(turnedAway).last().isEqualTo("one more");
        assertThat(handshakeQueue.waiting()).isEqualTo(HandshakeQueue.MOST_WAITING);
    }

    /** Otherwise a stranger with two addresses could drive out every connection that shares one of them. */
    @Test
    void originsOfAsManyDoNotDriveEachOtherOut() throws IOException {
        for (int index = 0; index < HandshakeQueue.MOST_AT_ONCE; index++) {
            handshakeQueue.enter("one" + index, STRANGER, 0);
            handshakeQueue.enter("other" + index, RANK, 0);
        }
        List<String> begun = begin(0);
        assertThat(begun).hasSize(HandshakeQueue.MOST_AT_ONCE);
        assertThat(begun.stream().filter(name -> name.startsWith("one"))).hasSize(HandshakeQueue.MOST_AT_ONCE / 2);
        assertThat(turnedAway).isEmpty();
    }

    @Test
    void eachOriginHasItsTurnWhereHandshakesTakeNoTime() throws IOException {
        enter("stranger", 100, STRANGER, 0);
        for (int index = 0; index < 10; index++) {
            handshakeQueue.leave(next(0));
        }
        handshakeQueue.enter("rank", RANK, 1);
        String first = next(1);
        handshakeQueue.leave(first);
        assertThat(List.of(first, next(1))).contains("rank");
    }

    private String next(long nowNanos) throws IOException {
        String next = handshakeQueue.next(nowNanos);
        if (next == null) {
            throw new AssertionError("no handshake may begin");
        }
        return next;
    }

    @Test
    void afterAWrongProofItsOriginWaitsForASecondAndNoOtherDoes() throws IOException {
        handshakeQueue.delay(STRANGER, 0);
        handshakeQueue.enter("stranger", STRANGER, 0);
        assertThat(handshakeQueue.waitMillis(0, 5_000)).isEqualTo(1_000);
        assertThat(handshakeQueue.waitMillis(0, 250)).isEqualTo(250);
        handshakeQueue.enter("rank", RANK, 0);
        assertThat(begin(0)).containsExactly("rank");
        assertThat(begin(SECOND - 1)).isEmpty();
        assertThat(begin(SECOND)).containsExactly("stranger");
        assertThat(handshakeQueue.waitMillis(SECOND, 250)).isEqualTo(250);
        assertThat(turnedAway).isEmpty();
    }

    /** The requester has given up by then. */
    @Test
    void nobodyWaitsForLongerThanItsRequesterDoes() throws IOException {
        enter("stranger", HandshakeQueue.MOST_AT_ONCE + 3, STRANGER, 0);
        begin(0);
        handshakeQueue.enter("later", STRANGER, 1);
        begin(PATIENCE.toNanos());
        assertThat(turnedAway).isEmpty();
        begin(PATIENCE.toNanos() + 1);
        assertThat(turnedAway)
                .isEqualTo(names("stranger", HandshakeQueue.MOST_AT_ONCE, HandshakeQueue.MOST_AT_ONCE + 3));
        assertThat(handshakeQueue.waiting()).isOne();
    }

    @Test
    void whatIsKeptIsBoundedAndGivenBack() throws IOException {
        SplittableRandom random = new SplittableRandom(4711);
        Set<String> inside = new HashSet<>();
        Set<String> begun = new HashSet<>();
        int rounds = 20_000;
        for (int round = 0; round < rounds; round++) {
            Origin origin = origin(random.nextInt(1, 8 + 100 * random.nextInt(2)));
            handshakeQueue.enter("each" + round, origin, round);
            @Nullable String next = random.nextInt(3) == 0 ? handshakeQueue.next(round) : null;
            if (next != null) {
                assertThat(begun.add(next)).isTrue();
                inside.add(next);
            }
            if (!inside.isEmpty() && random.nextInt(6) == 0) {
                String gone = inside.iterator().next();
                inside.remove(gone);
                handshakeQueue.leave(gone);
            }
            assertThat(handshakeQueue.waiting()).isLessThanOrEqualTo(HandshakeQueue.MOST_WAITING);
            assertThat(handshakeQueue.underWay()).isEqualTo(inside.size())
                    .isLessThanOrEqualTo(HandshakeQueue.MOST_AT_ONCE);
        }
        inside.forEach(handshakeQueue::leave);
        handshakeQueue.close();
        assertThat(handshakeQueue.waiting()).isZero();
        assertThat(handshakeQueue.underWay()).isZero();
        assertThat(turnedAway).doesNotHaveDuplicates();
        turnedAway.removeAll(begun);
        assertThat(turnedAway).as("nobody is forgotten").hasSize(rounds - begun.size());
    }

    @Test
    void theLogNamesTheOriginOnceAMinute() throws IOException {
        try (LoggedLines log = new LoggedLines(HandshakeQueue.class, "owner=" + owner)) {
            long now = Duration.ofHours(1).toNanos();
            long minute = Duration.ofMinutes(1).toNanos();
            enter("stranger", HandshakeQueue.MOST_WAITING + 7, STRANGER, now);
            assertThat(log.lines()).singleElement().asString().contains("origin=10.0.0.2 turnedAway=1");
            handshakeQueue.enter("one more", STRANGER, now + minute);
            assertThat(log.lines()).hasSize(2).last().asString().contains("turnedAway=7");
        }
    }
}
