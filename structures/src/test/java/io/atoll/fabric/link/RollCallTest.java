package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment.State;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the ranks of a list are asked, and what is known of them then. */
@Timeout(120)
class RollCallTest {

    private static final Duration NEVER_AGAIN = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final List<InetSocketAddress> ADDRESSES = List.of(new InetSocketAddress("localhost", 1),
            new InetSocketAddress("localhost", 2));

    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean isThere = true;

    private final class Asking implements Connecting<Lane> {

        @Override
        public WorldIdentity world() {
            return new WorldIdentity("roll-call", 2);
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
            asked.incrementAndGet();
            if (!isThere) {
                throw new RankUnreachableException("it does not answer", "address=" + address, "attach", other, 0);
            }
            return 4;
        }
    }

    @Test
    void ranksAreAskedAtOnceWhenAConnectionHasBroken() {
        try (RollCall rollCall = new RollCall(new Asking(), ADDRESSES, NEVER_AGAIN)) {
            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.PRESENT);
            assertThat(rollCall.presence(1).incarnation()).isEqualTo(4);
            isThere = false;
            Alarm alarm = new Alarm();
            alarm.listen(rollCall::callSoon);

            alarm.raise();

            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void whereNobodyIsListedNobodyIsAsked() {
        try (RollCall rollCall = new RollCall(new Asking(), List.of(), NEVER_AGAIN)) {
            rollCall.callSoon();
            assertThat(rollCall.presence(1).state()).isEqualTo(State.UNKNOWN);
        }
        assertThat(asked).hasValue(0);
    }
}
