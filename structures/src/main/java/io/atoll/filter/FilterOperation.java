package io.atoll.filter;

import io.atoll.completion.Operation;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous operation on the element with this hash. A round reads its word. For an addition, another round
 * exchanges the word, and is repeated while others change it.
 */
final class FilterOperation extends Operation<Boolean> {

    private final FilterBlocks blocks;
    private final boolean adds;
    private final long hash;
    private final int owner;
    private final long offset;
    private final long pattern;
    private boolean isKnown; // the word was seen
    private long word;
    private int exchange;

    FilterOperation(FilterBlocks blocks, long hash, boolean adds) {
        this.blocks = blocks;
        this.hash = hash;
        this.adds = adds;
        this.owner = blocks.rank(hash);
        this.offset = blocks.offset(hash, owner);
        this.pattern = blocks.pattern(hash);
    }

    @Override
    protected Endpoint endpoint() {
        return blocks.endpoint();
    }

    @Override
    protected int owner() {
        return owner;
    }

    @Override
    protected @Nullable EpochManager epochs() {
        return null;
    }

    @Override
    protected long bytes() {
        return Layouts.WORD;
    }

    @Override
    protected int atomics() {
        return 1;
    }

    @Override
    protected Step begin() {
        return Step.AGAIN;
    }

    @Override
    protected void add(Batch batch, long position) {
        if (isKnown) {
            exchange = batch.compareAndExchange(owner, offset, word, word | pattern);
        } else {
            batch.read(owner, offset, position, Layouts.WORD);
        }
    }

    @Override
    protected Step take(Batch batch, long position) {
        if (isKnown) {
            long witness = batch.result(exchange);
            if (witness == word) {
                return Step.DONE;
            }
            word = witness;
        } else {
            isKnown = true;
            word = batch.word(position);
        }
        return adds && !isSet() ? Step.AGAIN : Step.DONE;
    }

    private boolean isSet() {
        return (word & pattern) == pattern;
    }

    @Override
    protected Boolean result() {
        return adds != isSet();
    }

    @Override
    protected Boolean alone() {
        return adds ? blocks.add(hash) : blocks.mightContain(hash);
    }
}
