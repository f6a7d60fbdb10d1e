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
class EntranceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Origin STRANGER = origin(2);
    private static final Origin RANK = origin(3);

    private final String owner = "entrance-" + UUID.randomUUID();
    private final List<String> turnedAway = new ArrayList<>();
    private final Entrance<String> entrance = new Entrance<>(owner, PATIENCE.toMillis(), turnedAway::add);

    private static Origin origin(int last) {
        return Origin.of(InetAddress.ofLiteral("10.0.0." + last));
    }

    private void enter(String name, int count, Origin origin, long nowNanos) throws IOException {
        for (int index = 0; index < count; index++) {
            entrance.enter(name + index, origin, nowNanos);
        }
    }

    /** Returns the connections that may greet. */
    private List<String> begin(long nowNanos) throws IOException {
        List<String> begun = new ArrayList<>();
        for (String next = entrance.next(nowNanos); next != null; next = entrance.next(nowNanos)) {
            begun.add(next);
        }
        return begun;
    }

    private static List<String> names(String name, int from, int to) {
        return IntStream.range(from, to).mapToObj(index -> name + index).toList();
    }

    @Test
    void thoseOfOneOriginGreetInTheOrderInWhichTheyCameAndNoneIsTurnedAway() throws IOException {
        int all = Entrance.MOST_GREETING + Entrance.MOST_WAITING;
        enter("a", Entrance.MOST_GREETING, RANK, 0);
        List<String> greeted = new ArrayList<>(begin(0));
        for (int index = Entrance.MOST_GREETING; index < all; index++) {
            entrance.enter("a" + index, RANK, 0);
        }
        assertThat(begin(0)).as("no room yet").isEmpty();
        for (int index = 0; index < all; index++) {
            entrance.leave(greeted.get(index));
            greeted.addAll(begin(0));
        }
        assertThat(greeted).isEqualTo(names("a", 0, all));
        assertThat(turnedAway).isEmpty();
        assertThat(entrance.greeting()).isZero();
        assertThat(entrance.waiting()).isZero();
    }

    @Test
    void strangersThatGreetForEverMakeRoomForOneFromElsewhere() throws IOException {
        enter("stranger", 10 * Entrance.MOST_GREETING, STRANGER, 0);
        begin(0);

        entrance.enter("rank", RANK, 1);

        assertThat(begin(1)).as("the one that was turned away is still served").isEmpty();
        assertThat(turnedAway).endsWith("stranger0").doesNotContain("rank");
        assertThat(entrance.greeting()).isEqualTo(Entrance.MOST_GREETING);
        int before = turnedAway.size();
        assertThat(begin(1)).isEmpty();
        assertThat(turnedAway).as("one at a time").hasSize(before);
        entrance.leave("stranger0");
        assertThat(begin(1)).containsExactly("rank");
    }

    @Test
    void whereTheLineIsFullTheLastOfTheLargestOriginGivesWay() throws IOException {
        enter("stranger", Entrance.MOST_GREETING, STRANGER, 0);
        begin(0);
        enter("waiting", Entrance.MOST_WAITING, STRANGER, 0);
        entrance.enter("rank", RANK, 0);
        assertThat(turnedAway).containsExactly("waiting" + (Entrance.MOST_WAITING - 1));
        entrance.enter("one more", STRANGER, 0);
        assertThat(turnedAway).last().isEqualTo("one more");
        assertThat(entrance.waiting()).isEqualTo(Entrance.MOST_WAITING);
    }

    /** Otherwise a stranger with two addresses could drive out every connection that shares one of them. */
    @Test
    void originsOfAsManyDoNotDriveEachOtherOut() throws IOException {
        for (int index = 0; index < Entrance.MOST_GREETING; index++) {
            entrance.enter("one" + index, STRANGER, 0);
            entrance.enter("other" + index, RANK, 0);
        }
        List<String> begun = begin(0);
        assertThat(begun).hasSize(Entrance.MOST_GREETING);
        assertThat(begun.stream().filter(name -> name.startsWith("one"))).hasSize(Entrance.MOST_GREETING / 2);
        assertThat(turnedAway).isEmpty();
    }

    @Test
    void eachOriginHasItsTurnWhereGreetingsTakeNoTime() throws IOException {
        enter("stranger", 100, STRANGER, 0);
        for (int index = 0; index < 10; index++) {
            entrance.leave(next(0));
        }
        entrance.enter("rank", RANK, 1);
        String first = next(1);
        entrance.leave(first);
        assertThat(List.of(first, next(1))).contains("rank");
    }

    private String next(long nowNanos) throws IOException {
        String next = entrance.next(nowNanos);
        if (next == null) {
            throw new AssertionError("nobody may greet");
        }
        return next;
    }

    @Test
    void afterAWrongProofItsOriginWaitsForASecondAndNoOtherDoes() throws IOException {
        entrance.delay(STRANGER, 0);
        entrance.enter("stranger", STRANGER, 0);
        assertThat(entrance.waitMillis(0, 5_000)).isEqualTo(1_000);
        assertThat(entrance.waitMillis(0, 250)).isEqualTo(250);
        entrance.enter("rank", RANK, 0);
        assertThat(begin(0)).containsExactly("rank");
        assertThat(begin(SECOND - 1)).isEmpty();
        assertThat(begin(SECOND)).containsExactly("stranger");
        assertThat(entrance.waitMillis(SECOND, 250)).isEqualTo(250);
        assertThat(turnedAway).isEmpty();
    }

    /** The requester has given up by then. */
    @Test
    void nobodyWaitsForLongerThanItsRequesterDoes() throws IOException {
        enter("stranger", Entrance.MOST_GREETING + 3, STRANGER, 0);
        begin(0);
        entrance.enter("later", STRANGER, 1);
        begin(PATIENCE.toNanos());
        assertThat(turnedAway).isEmpty();
        begin(PATIENCE.toNanos() + 1);
        assertThat(turnedAway).isEqualTo(names("stranger", Entrance.MOST_GREETING, Entrance.MOST_GREETING + 3));
        assertThat(entrance.waiting()).isOne();
    }

    @Test
    void whatIsKeptIsBoundedAndGivenBack() throws IOException {
        SplittableRandom random = new SplittableRandom(4711);
        Set<String> inside = new HashSet<>();
        Set<String> begun = new HashSet<>();
        int rounds = 20_000;
        for (int round = 0; round < rounds; round++) {
            Origin origin = origin(random.nextInt(1, 8 + 100 * random.nextInt(2)));
            entrance.enter("each" + round, origin, round);
            @Nullable String next = random.nextInt(3) == 0 ? entrance.next(round) : null;
            if (next != null) {
                assertThat(begun.add(next)).isTrue();
                inside.add(next);
            }
            if (!inside.isEmpty() && random.nextInt(6) == 0) {
                String gone = inside.iterator().next();
                inside.remove(gone);
                entrance.leave(gone);
            }
            assertThat(entrance.waiting()).isLessThanOrEqualTo(Entrance.MOST_WAITING);
            assertThat(entrance.greeting()).isEqualTo(inside.size()).isLessThanOrEqualTo(Entrance.MOST_GREETING);
        }
        inside.forEach(entrance::leave);
        entrance.close();
        assertThat(entrance.waiting()).isZero();
        assertThat(entrance.greeting()).isZero();
        assertThat(turnedAway).doesNotHaveDuplicates();
        turnedAway.removeAll(begun);
        assertThat(turnedAway).as("nobody is forgotten").hasSize(rounds - begun.size());
    }

    @Test
    void theLogNamesTheOriginOnceAMinute() throws IOException {
        try (LoggedLines log = new LoggedLines(Entrance.class, "owner=" + owner)) {
            long now = Duration.ofHours(1).toNanos();
            long minute = Duration.ofMinutes(1).toNanos();
            enter("stranger", Entrance.MOST_WAITING + 7, STRANGER, now);
            assertThat(log.lines()).singleElement().asString().contains("origin=10.0.0.2 turnedAway=1");
            entrance.enter("one more", STRANGER, now + minute);
            assertThat(log.lines()).hasSize(2).last().asString().contains("turnedAway=7");
        }
    }
}
