package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Holds the lock of an account for a moment. One account is wanted far more often than all others, so ranks have to
 * wait for each other.
 */
final class LockLoad implements Load {

    private static final int ACCOUNTS = 64;
    private static final int HOT = 0;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final LockTable accounts;
    private final Duration held;

    /** @param held how long the lock of an account is held */
    LockLoad(World world, Duration held) {
        this.accounts = world.lockTable("demo-accounts").locks(ACCOUNTS).openLazily();
        this.held = held;
    }

    @Override
    public void step(RandomGenerator random) throws InterruptedException {
        long account = random.nextInt(4) > 0 ? HOT : random.nextInt(ACCOUNTS);
        try (Acquisition acquired = accounts.tryLockAt(account, PATIENCE)) {
            if (acquired != null) {
                Thread.sleep(held);
            }
        }
    }
}
