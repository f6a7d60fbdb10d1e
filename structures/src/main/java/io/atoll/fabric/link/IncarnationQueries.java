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
 * Asks ranks which incarnations they are. A thread of its own asks each rank, up to a limit of threads. So a rank that
 * does not answer, which takes seconds, delays no other. There are as many threads as ranks are asked at once.
 */
final class IncarnationQueries implements AutoCloseable {

    private static final int MOST_THREADS = 64;
    // Longer than the interval after which ranks are asked again.
    private static final Duration IDLE = Duration.ofSeconds(2);

    private final LaneConnector<?> connector;
    private final ThreadPoolExecutor threads;

    /**
     * The outcome of asking a rank.
     *
     * @param refusalDetails what the rank has answered
     * @param address the address that was asked, as the caller named it; null if there is no answer
     * @param refusal why there is no answer; null if there is one
     * @param error the error that has ended the thread; null if there was none
     */
    record Answer(RefusalDetails refusalDetails, @Nullable InetSocketAddress address, @Nullable String refusal,
            @Nullable Error error) {}

    IncarnationQueries(LaneConnector<?> connector) {
        this.connector = connector;
        this.threads = new ThreadsOnDemand("atoll-inquiry-" + connector.world().name() + "-" + connector.rank(),
                MOST_THREADS, IDLE);
    }

    /**
     * Starts to ask a rank, and returns at once.
     *
     * @param address the rank's address; its name is resolved again
     * @param timeout the time in which the rank has to answer
     * @param told receives the outcome, from another thread; not called after this object is closed
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
            return new Answer(RefusalDetails.NOTHING, null, String.valueOf(refused.getMessage()), null);
        } catch (RuntimeException unexpected) {
            return new Answer(RefusalDetails.NOTHING, null, unexpected.toString(), null);
        } catch (Error error) {
            return new Answer(RefusalDetails.NOTHING, null, error.toString(), error);
        }
    }

    /** Asks no more ranks. Does not wait for an answer that is under way, since nothing depends on it. */
    @Override
    public void close() {
        threads.shutdown();
        threads.getQueue().clear();
    }
}
