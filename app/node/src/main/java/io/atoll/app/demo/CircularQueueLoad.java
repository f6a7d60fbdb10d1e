package io.atoll.app.demo;

import io.atoll.World;
import io.atoll.queue.CircularQueue;
import java.util.random.RandomGenerator;

/** Pushes jobs and pops about as many. Pops more when the queue is half full. */
final class CircularQueueLoad implements Load {

    private static final int CAPACITY = 512;
    private static final int PUSHED = 4;

    /** A job to do, and the time that it takes. */
    record Job(long number, int millis) {}

    private final CircularQueue<Job> jobs;

    CircularQueueLoad(World world) {
        this.jobs = open(world);
    }

    static CircularQueue<Job> open(World world) {
        return world.queue("demo-jobs", Job.class).capacity(CAPACITY).openLazily();
    }

    @Override
    public void step(RandomGenerator random) {
        for (int pushed = 0; pushed < PUSHED; pushed++) {
            jobs.push(new Job(random.nextLong(), random.nextInt(1_000)));
        }
        boolean isHalfFull = jobs.size() > CAPACITY / 2;
        jobs.pop(isHalfFull ? 4 * PUSHED : 1 + random.nextInt(2 * PUSHED));
    }
}
