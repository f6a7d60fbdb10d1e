package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The network is cut from rank 0 to rank 1 only. What rank 0 has sent may arrive as soon as it is whole again.
 * Meanwhile rank 1, which reaches rank 0, frees memory.
 */
@Timeout(180)
@Tag("network")
class LateVerbsTest {

    private static final WorldIdentity WORLD = new WorldIdentity("late-verbs", 2);
    private static final long SEGMENT_BYTES = 4 << 20;

    private final Attachment[] attachments = new Attachment[2];
    private final Participant[] participants = new Participant[2];
    private final EpochManager[] managers = new EpochManager[2];
    private Relay relay;
    private Token pinned;
    private long word; // of an object at rank 1

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        Tcp settings = new Tcp(new SharedMemory(folder, true)).withoutSharedMemory()
                .silenceTimeout(Duration.ofSeconds(1));
        for (int rank = 0; rank < 2; rank++) {
            attachments[rank] = settings.attach(WORLD, OptionalInt.of(rank), SEGMENT_BYTES);
        }
        relay = new Relay(attachments[1]);
        attachments[1].connect(0, 1, attachments[0].address());
        attachments[0].connect(1, 1, relay.address());
        for (int rank = 0; rank < 2; rank++) {
            Attachment attachment = attachments[rank];
            participants[rank] = Participants.of(attachment.fabric(), new Liveness() {
                @Override
                public boolean isFenced(int any, int incarnation, int segment) {
                    return false;
                }

                @Override
                public Optional<LateVerbs> lateVerbs() {
                    return attachment.lateVerbs();
                }
            });
        }
        Thread second = Thread.ofPlatform().start(() -> managers[1] = manager(1));
        managers[0] = manager(0);
        second.join();
        pinned = managers[0].register();
        word = participants[1].heap().allocatePointer(1, 64).offset();
    }

    private EpochManager manager(int rank) {
        EpochManager manager = new EpochManager(() -> participants[rank], EpochSettings.DEFAULT.tokens(4));
        manager.prepare();
        return manager;
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        for (int rank = 0; rank < 2; rank++) {
            managers[rank].close();
            participants[rank].leave();
        }
        for (Attachment attachment : attachments) {
            attachment.close();
        }
    }

    private long tryToAdvance(int attempts) {
        for (int attempt = 0; attempt < attempts; attempt++) {
            managers[1].tryReclaim();
        }
        return managers[1].snapshot().epoch();
    }

    @Test
    void theEpochDoesNotAdvanceTwiceWhileAChangeMayArriveLate() {
        long before = tryToAdvance(3);
        try (Pin _ = pinned.pin()) {
            relay.hold(true, false);
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> participants[0].endpoint().getAndAdd(1, word, 1));
        }
        assertThat(tryToAdvance(5)).as("epoch while the network is cut").isLessThanOrEqualTo(before + 1);
        participants[0].tick();
        assertThat(tryToAdvance(5)).as("epoch after a tick, too").isLessThanOrEqualTo(before + 1);
        await().untilAsserted(() -> assertThat(managers[1].snapshot().ranks().getFirst().tokens())
                .filteredOn(token -> token.blocks())
                .extracting(token -> token.thread())
                .containsExactly("(a broken connection to rank 1)"));

        relay.hold(false, false);

        // No thread of rank 0 uses the connection: the tick of the rank replaces it.
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            participants[0].tick();
            assertThat(tryToAdvance(2)).isGreaterThan(before + 3);
        });
    }
}
