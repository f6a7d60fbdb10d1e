package io.atoll.background;

import java.time.Duration;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads for tasks that may take long. A task goes to a thread that has nothing to do, to another one if there is
 * none, and waits if there are as many as there may be. Threads without a task end: so there are only as many as tasks are
 * under way at once. After the {@linkplain ThreadPoolExecutor#shutdown end} tasks are dropped.
 */
public final class ThreadsOnDemand extends ThreadPoolExecutor {

    /** Takes a task only if a thread waits for one. */
    private static final class Handover extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }
    }

    /**
     * @param most threads at once, 1 or more
     * @param idle how long one without a task waits for the next
     */
    public ThreadsOnDemand(String name, int most, Duration idle) {
        super(0, most, idle.toNanos(), TimeUnit.NANOSECONDS, new Handover(), factory(name), whereAllWork());
    }

    private static ThreadFactory factory(String name) {
        return Thread.ofPlatform().name(name).daemon().inheritInheritableThreadLocals(false).factory();
    }

    private static RejectedExecutionHandler whereAllWork() {
        return (task, threads) -> {
            if (!threads.isShutdown()) {
                threads.getQueue().add(task);
                // A thread looks there before it ends. The last one may have looked before.
                if (threads.getPoolSize() == 0 && threads.remove(task)) {
                    threads.execute(task);
                }
            }
        };
    }
}
