package io.atoll.spring.template;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.memory.GlobalPointer;
import java.util.function.Supplier;

/**
 * Epochs for callers that keep no tokens. Work is done under a pin. The calling thread borrows a token for that time,
 * so any number of threads may use the template: a thread waits while all tokens are lent.
 * <pre>{@code
 * Order found = epochs.pinned(() -> read(nodes.find(key)));
 * epochs.pinned(() -> {
 *     ... unlink the node ...
 *     epochs.retire(node);
 * });
 * }</pre>
 */
public final class EpochTemplate {

    private final EpochManager epochs;

    public EpochTemplate(EpochManager epochs) {
        this.epochs = epochs;
    }

    /**
     * Does the work. Meanwhile no object that this thread finds is freed. May be called within work.
     *
     * @throws io.atoll.failure.FabricTimeoutException if all tokens are lent, and no thread gives one back within the
     * operation timeout
     */
    public <T> T pinned(Supplier<T> work) {
        Token token = epochs.pin();
        try {
            return work.get();
        } finally {
            token.unpin();
        }
    }

    /**
     * Does the work. Meanwhile no object that this thread finds is freed. May be called within work.
     *
     * @throws io.atoll.failure.FabricTimeoutException if all tokens are lent, and no thread gives one back within the
     * operation timeout
     */
    public void pinned(Runnable work) {
        Token token = epochs.pin();
        try {
            work.run();
        } finally {
            token.unpin();
        }
    }

    /**
     * Frees an object that has been unlinked, once no thread can be using it any more.
     *
     * @throws IllegalStateException outside of {@link #pinned}
     * @see Token#retire(GlobalPointer)
     */
    public void retire(GlobalPointer object) {
        epochs.pinned().retire(object);
    }

    /**
     * Frees all retired objects that no thread can be using any more; see {@link EpochManager#sealAndTryReclaim()}.
     *
     * @return the number of objects that this call has freed
     */
    public long tryReclaim() {
        return epochs.sealAndTryReclaim();
    }
}
