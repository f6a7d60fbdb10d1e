package io.atoll.fabric.link;

import io.atoll.background.ThreadsOnDemand;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks ranks which incarnations they are. Each is asked by a thread of its own, as long as there are not too many: so one
 * that does not answer, which takes seconds, delays no other. There are as many threads as ranks are asked at once.
 */
final class Inquiries implements AutoCloseable {

    private static final int MOST_THREADS = 64;
    private static final Duration IDLE = Duration.ofSeconds(2); // longer than ranks are asked again after

    private final Connecting<?> connector;
    private final ThreadPoolExecutor threads;

    /**
     * What has come of asking.
     *
     * @param told by the rank that has answered
     * @param address as it was named to the one who asked; null where there is no answer
     * @param refusal why there is none; null where there is
     * @param error what has ended the thread; null where nothing has
     */
    record Answer(Told told, @Nullable InetSocketAddress address, @Nullable String refusal,
            @Nullable Error error) {}

    Inquiries(Connecting<?> connector) {
        this.connector = connector;
        this.threads = new ThreadsOnDemand("atoll-inquiry-" + connector.world().name() + "-" + connector.rank(),
                MOST_THREADS, IDLE);
    }

    /**
     * Returns at once.
     *
     * @param address whose name is resolved anew
     * @param timeout in which it has to answer
     * @param told what has come of it, by another thread; never after the end
     * @throws OutOfMemoryError if there is no thread for it
     */
    void ask(int rank, InetSocketAddress address, Duration timeout, Consumer<Answer> told) {
        threads.execute(() -> {
            Answer answer = answer(rank, address, timeout);
            if (!threads.isShutdown()) {
                told.accept(answer);
            }
        });
    }

    private Answer answer(int rank, InetSocketAddress address, Duration timeout) {
        try {
            return new Answer(connector.ask(rank, address, timeout), address, null, null);
        } catch (RankUnreachableException | LayoutMismatchException refused) {
            return new Answer(Told.NOTHING, null, String.valueOf(refused.getMessage()), null);
        } catch (RuntimeException unexpected) {
            return new Answer(Told.NOTHING, null, unexpected.toString(), null);
        } catch (Error error) {
            return new Answer(Told.NOTHING, null, error.toString(), error);
        }
    }

    /** Asks nobody any more, but does not wait for an answer that is under way: nothing depends on it. */
    @Override
    public void close() {
        threads.shutdown();
        threads.getQueue().clear();
    }
}
