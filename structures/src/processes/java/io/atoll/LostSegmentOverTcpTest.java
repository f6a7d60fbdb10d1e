package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.world.OnLoss;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Like its superclass, as on hosts of their own, whose addresses are listed. */
@Timeout(600)
@Tag("processes")
class LostSegmentOverTcpTest extends LostSegmentTest {

    private static final Duration LONGEST = Duration.ofSeconds(60);

    private Hosts.Listed listed;

    @Override
    Hosts hosts(Path folder) {
        listed = Hosts.listed(folder, RANKS);
        return listed;
    }

    /**
     * Other ranks find this rank, but it does not find them. It learns of its loss from what they say when they ask.
     */
    @Test
    void oneThatCouldAskNobodyBeginsAnewWhenItIsToldAndHasAHigherNumberTheNextTime() throws IOException {
        List<InetSocketAddress> addresses = listed.addresses();
        List<InetSocketAddress> right = List.copyOf(addresses);
        // The others know of it.
        awaitAll();
        end(2);
        addresses.set(0, Hosts.Listed.free());
        addresses.set(1, Hosts.Listed.free());

        begin(2);

        World lonely = world(2);
        assertThat(lonely.incarnation()).isEqualTo(1);
        await().atMost(LONG_ENOUGH).until(() -> lonely.rejoining().isPresent());
        assertThat(lonely.rejoining()).hasValueSatisfying(rejoining -> assertThat(rejoining.removal())
                .hasMessageStartingWith("another rank has met a later life of this one, which has no memory of it:"));
        lonely.close();
        begin(2);
        World still = world(2);
        assertThat(still.incarnation()).as("though it could ask nobody again").isGreaterThan(1);
        still.close();
        addresses.clear();
        addresses.addAll(right);
        begin(2);
        awaitAll();
    }

    @Test
    void aRankThatIsBackIsUsedSoon() throws IOException {
        LongLongMap hits = world(0).longMap("hits").onLoss(OnLoss.EMPTY).open();
        long key = keyOf(hits, 2);
        for (int turn = 0; turn < 3; turn++) {
            hits.put(key, 7);
            end(2);
            long beganNanos = System.nanoTime();
            begin(2);
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(LONG_ENOUGH)
                    .ignoreExceptionsInstanceOf(RankUnreachableException.class)
                    .until(() -> hits.getOrDefault(key, -1) == -1);
            Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
            System.out.printf("a rank that came back without its segment by TCP was used after %d ms%n",
                    took.toMillis());
            assertThat(took).isLessThan(LONGEST);
            awaitAll();
        }
    }
}
