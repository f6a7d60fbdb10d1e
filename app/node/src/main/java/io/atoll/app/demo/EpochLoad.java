package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.memory.GlobalPointer;
import java.util.random.RandomGenerator;

/**
 * Allocates objects at ranks and retires them at once. Some hundred of them wait in limbo until this load reclaims
 * them.
 */
final class EpochLoad implements Load {

    private static final int OBJECTS = 4;
    private static final long BYTES = 256;
    private static final int STEPS_UNTIL_RECLAIMED = 25;

    private final World world;
    private int steps;

    EpochLoad(World world) {
        this.world = world;
    }

    @Override
    public void step(RandomGenerator random) {
        Token token = world.epochs().token();
        try (Pin _ = token.pin()) {
            for (int object = 0; object < OBJECTS; object++) {
                GlobalPointer made = world.participant()
                        .heap()
                        .allocatePointer(random.nextInt(world.size()), BYTES);
                token.retire(made.toWord(), BYTES);
            }
        }
        steps++;
        if (steps % STEPS_UNTIL_RECLAIMED == 0) {
            token.tryReclaim();
        }
    }
}
