package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import java.util.function.Supplier;

/** The configuration that an array is opened with. */
abstract class ArrayBuilder<T, S, B extends ArrayBuilder<T, S, B>> extends StructureBuilder<S, B> {

    final Codec<T> codec;
    private long length = 1 << 16;

    ArrayBuilder(String name, Codec<T> codec, Supplier<Participant> participant) {
        super(name, participant);
        this.codec = codec.within(name);
    }

    /** Sets the number of elements, over all ranks. Defaults to 65,536. */
    public B length(long elements) {
        length = elements;
        return self();
    }

    /**
     * Sets what becomes of elements whose segment is lost. By default, operations on them fail with a {@link
     * io.atoll.failure.SegmentLostException}, and the array cannot be opened any more. With {@link OnLoss#EMPTY} they
     * are zero.
     */
    @Override
    public B onLoss(OnLoss becomes) {
        return super.onLoss(becomes);
    }

    /** Returns the number of elements, if there can be so many. */
    final long checkedLength() {
        ElementBlock.check(name(), codec, length);
        return length;
    }
}
