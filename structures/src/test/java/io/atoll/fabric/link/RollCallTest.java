package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment.State;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the ranks of a list are asked, and what is known of them then. */
@Timeout(120)
class RollCallTest {

    private static final Duration NEVER_AGAIN = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final List<InetSocketAddress> ADDRESSES = List.of(new InetSocketAddress("localhost", 1),
            new InetSocketAddress("localhost", 2), new InetSocketAddress("localhost", 3));

    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private volatile boolean isThere = true;

    private final class Asking implements Connecting<Lane> {

        @Override
        public WorldIdentity world() {
            return new WorldIdentity("roll-call", 3);
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Lane connect(Target target, int lane, String verb, long offset) {
            throw new IllegalStateException("nobody connects");
        }

        @Override
        public int ask(int other, InetSocketAddress address) {
            asked.add(other);
            if (!isThere) {
                throw new RankUnreachableException("it does not answer", "address=" + address, "attach", other, 0);
            }
            return 4;
        }
    }

    @Test
    void aRankIsAskedAtOnceWhenAConnectionWithItHasBrokenAndOthersAreNot() {
        try (RollCall rollCall = new RollCall(new Asking(), ADDRESSES, NEVER_AGAIN)) {
            await().atMost(SOON).until(() -> rollCall.presence(2).state() == State.PRESENT);
            assertThat(rollCall.presence(1).incarnation()).isEqualTo(4);
            isThere = false;
            Alarm alarm = new Alarm();
            alarm.listen(rollCall::callSoon);

            alarm.raise(1);

            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            isThere = true;
            alarm.raise(1);
            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.PRESENT);
            assertThat(asked).containsExactly(1, 2, 1, 1);
        }
    }

    @Test
    void allAreAskedAgainAfterTheInterval() {
        try (RollCall _ = new RollCall(new Asking(), ADDRESSES, Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> asked.size() >= 6);
        }
        assertThat(asked).startsWith(1, 2, 1, 2, 1, 2);
    }

    @Test
    void whereNobodyIsListedNobodyIsAsked() {
        try (RollCall rollCall = new RollCall(new Asking(), List.of(), NEVER_AGAIN)) {
            rollCall.callSoon(1);
            assertThat(rollCall.presence(1).state()).isEqualTo(State.UNKNOWN);
        }
        assertThat(asked).isEmpty();
    }
}
