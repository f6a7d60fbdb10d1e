package io.atoll.template;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.memory.GlobalPointer;
import java.util.function.Supplier;

/**
 * Epochs without tokens, for those who do not want to know them: work is done under a pin of the calling thread's own token.
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

    /** Does the work; nothing is freed meanwhile that this thread finds. */
    public <T> T pinned(Supplier<T> work) {
        try (Pin _ = epochs.token().pin()) {
            return work.get();
        }
    }

    /** Does the work; nothing is freed meanwhile that this thread finds. */
    public void pinned(Runnable work) {
        try (Pin _ = epochs.token().pin()) {
            work.run();
        }
    }

    /**
     * Frees an object that has been unlinked, when nobody can be using it any more.
     *
     * @throws IllegalStateException outside of {@link #pinned}
     * @see Token#retire(GlobalPointer)
     */
    public void retire(GlobalPointer object) {
        epochs.token().retire(object);
    }

    /** Frees what can be freed; see {@link Token#tryReclaim()}. */
    public long tryReclaim() {
        return epochs.token().tryReclaim();
    }
}
