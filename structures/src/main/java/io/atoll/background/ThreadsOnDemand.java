package io.atoll.background;

import java.time.Duration;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads for tasks that may take long. A task goes to an idle thread, or to a new one if none is idle. It waits
 * if there are as many threads as there may be. Threads without a task end, so there are only as many threads as tasks
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
     * @param idle how long a thread without a task waits for the next
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
                // A thread looks into the queue before it ends. The last one may have looked before this task was
                // there.
                if (threads.getPoolSize() == 0 && threads.remove(task)) {
                    threads.execute(task);
                }
            }
        };
    }
}
