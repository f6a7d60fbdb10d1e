package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;

/**
 * Runs all loads while the node runs, each in a thread of its own. Together they do some hundred operations a second,
 * however many ranks there are. They take less than a MiB at each rank. A load waits while a rank is missing, and goes
 * on when all ranks are there.
 */
final class Demo implements SmartLifecycle {

    /**
     * The time between two steps of a load in a world of one rank. With more ranks each one waits longer: the world
     * makes five steps of each load a second.
     */
    private static final Duration BETWEEN_STEPS_OF_ONE_RANK = Duration.ofMillis(200);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration LOCK_HELD = Duration.ofMillis(50);
    private static final Duration END = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);

    private enum Mood {
        NEW, RUNS, WAITS
    }

    private final World world;
    private final Duration interval;
    private final Duration lockHeld;
    private Mood mood = Mood.NEW; // guarded by this
    private volatile List<Thread> threads = List.of();

    @Autowired
    Demo(World world) {
        this(world, BETWEEN_STEPS_OF_ONE_RANK.multipliedBy(world.size()), LOCK_HELD);
    }

    Demo(World world, Duration interval, Duration lockHeld) {
        this.world = world;
        this.interval = interval;
        this.lockHeld = lockHeld;
    }

    /** Returns the loads by their names. */
    static Map<String, Load> loads(World world, Duration lockHeld) {
        Map<String, Load> loads = new LinkedHashMap<>();
        loads.put("visits", new LongMapLoad(world));
        loads.put("orders", new ObjectMapLoad(world));
        loads.put("seen", new FilterLoad(world));
        loads.put("jobs", new CircularQueueLoad(world));
        loads.put("mail", new LinkedQueueLoad(world));
        loads.put("undo", new StackLoad(world));
        loads.put("accounts", new LockLoad(world, lockHeld));
        loads.put("objects", new EpochLoad(world));
        loads.put("news", new BroadcastLoad(world));
        return loads;
    }

    @Override
    public void start() {
        threads = loads(world, lockHeld).entrySet()
                .stream()
                .map(load -> Thread.ofPlatform()
                        .daemon()
                        .name("demo-" + load.getKey())
                        .start(() -> repeat(load.getKey(), load.getValue())))
                .toList();
    }

    private void repeat(String name, Load load) {
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        boolean told = false;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                if (isWhole()) {
                    told = step(name, load, random, told);
                }
                Thread.sleep(interval);
            }
        } catch (InterruptedException end) {
            LOG.debug("ends: load={}", name);
        }
    }

    /**
     * Does a step. Returns true if the load fails and this has been logged.
     *
     * @param told true if the failure of an earlier step was logged
     */
    private boolean step(String name, Load load, RandomGenerator random, boolean told) throws InterruptedException {
        try {
            load.step(random);
            return false;
        } catch (RuntimeException failure) {
            // By then the world may know that a rank is gone, which is logged once for all loads.
            Thread.sleep(AFTER_FAILURE);
            if (!told && isWhole()) {
                LOG.warn("the demo goes on, but for one load, which tries again: load={} cause=[{}]", name,
                        failure.toString());
                return true;
            }
            return told;
        }
    }

    /** Returns true if all ranks are there. Logs each change. */
    private synchronized boolean isWhole() {
        List<Peer> absent = world.peers()
                .snapshot()
                .stream()
                .filter(peer -> peer.status() != PeerStatus.JOINED)
                .toList();
        if (absent.isEmpty() && mood != Mood.RUNS) {
            LOG.info(mood == Mood.NEW
                    ? "the demo runs, on structures whose names begin with demo-"
                    : "the demo goes on");
            mood = Mood.RUNS;
        } else if (!absent.isEmpty() && mood == Mood.RUNS) {
            LOG.info("the demo waits until all ranks are there again: {}",
                    absent.stream()
                            .map(peer -> "rank=" + peer.rank())
                            .collect(Collectors.joining(" ")));
            mood = Mood.WAITS;
        }
        return absent.isEmpty();
    }

    /** Returns when no load uses the world any more, so that the world can be left. */
    @Override
    public void stop() {
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                if (!thread.join(END)) {
                    LOG.warn("does not end: thread={}", thread.getName());
                }
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        threads = List.of();
    }

    @Override
    public boolean isRunning() {
        return !threads.isEmpty();
    }

    /** Returns true if the demo makes load and does not wait for a rank. */
    synchronized boolean isAlive() {
        return mood == Mood.RUNS;
    }
}
