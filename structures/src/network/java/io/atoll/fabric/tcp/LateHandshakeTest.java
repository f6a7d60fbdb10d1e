package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests handshakes that are delayed by a network, or by a process that has just been started. */
@Timeout(180)
@Tag("network")
class LateHandshakeTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-late-handshake", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final Duration SOON = Duration.ofSeconds(90);

    private final CountDownLatch delivery = new CountDownLatch(1);
    @TempDir
    private Path folder;
    private Attachment owner;
    private Relay relay;

    @BeforeEach
    void attachOwner() throws Exception {
        owner = attach(1, SOON);
        relay = new Relay(owner);
    }

    private Attachment attach(int rank, Duration connectTimeout) {
        return new Tcp(new SharedMemory(folder, true)).withoutSharedMemory()
                .lanes(1)
                .connectTimeout(connectTimeout)
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    private Attachment attachCaller(Duration connectTimeout) {
        Attachment caller = attach(0, connectTimeout);
        owner.connect(0, caller.incarnation(), caller.address());
        caller.connect(1, owner.incarnation(), relay.address());
        return caller;
    }

    @AfterEach
    void detachOwner() throws Exception {
        delivery.countDown();
        relay.close();
        owner.close();
    }

    private long refused(String reason) {
        return owner.connections().orElseThrow().refused().get(reason);
    }

    @Test
    void aHandshakeThatItsCallerHasGivenUpDoesNotEndTheConnectionThatItMadeSince() {
        try (Attachment caller = attachCaller(Duration.ofSeconds(1))) {
            relay.delayNewConnections(delivery);
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> caller.fabric().readWord(1, WORD))
                    .withMessageContaining("no answer within 1000 ms");
            relay.delayNewConnections(new CountDownLatch(0));
            await().atMost(SOON).ignoreExceptions().until(() -> caller.fabric().getAndAdd(1, WORD, 1) >= 0);
            long before = caller.fabric().readWord(1, WORD);

            delivery.countDown();

            await().atMost(SOON).until(() -> refused("abandoned") >= 1);
            assertThat(caller.fabric().getAndAdd(1, WORD, 1)).isEqualTo(before);
            assertThat(caller.connections().orElseThrow().peers()).singleElement()
                    .satisfies(peer -> assertThat(peer.usable()).isOne())
                    .satisfies(peer -> assertThat(peer.broken()).isEmpty());
        }
    }

    /** A process that has just been started is still loading its classes, and is slower than any network. */
    @Test
    void aRankIsWaitedForThatTakesItsTimeForItsHandshake() {
        Duration late = Dialogue.REACH_TIMEOUT.plusMillis(500);
        try (Attachment caller = attachCaller(SOON)) {
            relay.delayNewConnections(delivery);
            CompletableFuture.delayedExecutor(late.toMillis(), TimeUnit.MILLISECONDS).execute(delivery::countDown);
            assertThat(caller.fabric().getAndAdd(1, WORD, 1)).isZero();
        }
    }
}
