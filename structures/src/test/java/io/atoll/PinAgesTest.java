package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.EpochSnapshot.TokenState;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The age of a pin for an observer that looks for the first time. */
class PinAgesTest {

    private static final Duration LIMIT = Duration.ofMillis(400);
    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("pins")
                    .size(2)
                    .rank(rank)
                    .segment(8 << 20)
                    .epochs(EpochSettings.DEFAULT.pinLimit(LIMIT))
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
        worlds.forEach(world -> world.epochs().prepare());
    }

    @AfterEach
    void leave() {
        worlds.reversed().forEach(World::close);
    }

    /** Looks once. Returns the age of the pin at rank 0, or zero if there is none. */
    private static Duration age(World world) {
        return world.epochs()
                .snapshot()
                .ranks()
                .getFirst()
                .tokens()
                .stream()
                .filter(TokenState::pinned)
                .map(TokenState::age)
                .findFirst()
                .orElse(Duration.ZERO);
    }

    /** Pins for this long, and looks once. */
    private Duration ageAtTheFirstLook(World observer, Duration pinned) throws InterruptedException {
        try (Token token = worlds.getFirst().epochs().register(); Pin _ = token.pin()) {
            Thread.sleep(pinned);
            return age(observer);
        }
    }

    @Test
    void aPinHasAnAgeBeforeAnybodyAsksForIt() {
        for (World observer : worlds) {
            Duration[] pinned = {LIMIT};
            await().atMost(SOON).until(() -> {
                // The loop ends even on a slow machine.
                pinned[0] = pinned[0].multipliedBy(2);
                Duration age = ageAtTheFirstLook(observer, pinned[0]);
                return !age.isZero();
            });
        }
    }

    @Test
    void aPinIsNoOlderThanItIs() throws InterruptedException {
        long beganNanos = System.nanoTime();
        Duration age = ageAtTheFirstLook(worlds.getLast(), LIMIT);
        assertThat(age).isLessThan(Duration.ofNanos(System.nanoTime() - beganNanos));
    }
}
