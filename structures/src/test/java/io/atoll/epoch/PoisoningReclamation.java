package io.atoll.epoch;

import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

/**
 * Overwrites an object before it frees it, so that a later use of the object is found. Bags are small, so that several
 * meet in limbo.
 */
public final class PoisoningReclamation extends Reclamation {

    /** The value of every word of a freed object. */
    public static final long POISON = 0xDEAD_DEAD_DEAD_DEADL;

    public static final long BLOCK_BYTES = 2 << 10;

    private final long objectBytes;
    private final Set<Long> poisoned;
    private final Mistake mistake;
    private final BooleanSupplier isOutOfBags;

    /**
     * @param objectBytes of every object
     * @param poisoned pointers of objects, as they are freed
     * @param isOutOfBags asked whenever a bag is wanted
     */
    PoisoningReclamation(Participant self, long[] blocks, EpochSettings settings, long objectBytes, Set<Long> poisoned,
            Mistake mistake, BooleanSupplier isOutOfBags) {
        // Set first: the constructor of the superclass already uses them.
        this.objectBytes = objectBytes;
        this.poisoned = poisoned;
        this.mistake = mistake;
        this.isOutOfBags = isOutOfBags;
        super(self, blocks, settings);
    }

    /**
     * Returns a manager that poisons.
     *
     * @param blocks where memory for its blocks is, {@value #BLOCK_BYTES} bytes at each rank
     */
    public static EpochManager manager(Participant self, long[] blocks, long objectBytes) {
        return manager(self, blocks, objectBytes, () -> false);
    }

    /**
     * As {@link #manager(Participant, long[], long)}.
     *
     * @param isOutOfBags asked whenever a bag is wanted
     */
    public static EpochManager manager(Participant self, long[] blocks, long objectBytes,
            BooleanSupplier isOutOfBags) {
        EpochSettings settings = EpochSettings.DEFAULT.tokens(8);
        var reclamation = new PoisoningReclamation(self, blocks, settings, objectBytes, new HashSet<>(), Mistake.NONE,
                isOutOfBags);
        return new EpochManager(() -> self, settings, any -> reclamation);
    }

    @Override
    int bagCapacity() {
        return 2;
    }

    @Override
    long openBag(long token) {
        return isOutOfBags.getAsBoolean() ? 0 : super.openBag(token);
    }

    /** The block is where it was before. */
    @Override
    long blockIn(Participant reaching, int owner) {
        return parts().blocks()[owner];
    }

    @Override
    long[] filling() {
        return mistake.filling(super.filling());
    }

    @Override
    Renewal newRenewal() {
        return mistake.renewal(this);
    }

    @Override
    WorldToken newToken(int index) {
        return mistake.token(this, index);
    }

    @Override
    GlobalEpoch newEpoch(Participant participant, long[] allBlocks, int home, int capacity) {
        return mistake.epoch(participant, allBlocks, home, capacity);
    }

    @Override
    LimboLists newLimbo(Participant participant, long block, int capacity, ScatterList scatter) {
        return mistake.limbo(participant, block, capacity, scatter);
    }

    @Override
    ScatterList newScatterList(SegmentIdentities segments, int capacity) {
        return new ScatterList(self().heap(), segments, self().size(), capacity) {
            @Override
            protected void free(int owner, long[] objects) {
                // Noted before the poison is written: a segment that is lost meanwhile takes its poison along.
                List<Long> pointers = LongStream.of(objects)
                        .mapToObj(object -> new GlobalPointer(owner, object).toWord())
                        .toList();
                poisoned.addAll(pointers);
                try {
                    poison(owner, objects);
                } catch (FabricException unreachable) {
                    pointers.forEach(poisoned::remove);
                    throw unreachable;
                }
                super.free(owner, objects);
            }

            private void poison(int owner, long[] objects) {
                for (long object : objects) {
                    for (long at = 0; at < objectBytes; at += Long.BYTES) {
                        self().endpoint().writeWord(owner, object + at, POISON);
                    }
                }
                self().endpoint().flush(owner);
            }
        };
    }
}
