package io.atoll.chaos.workload;

import io.atoll.array.Pointer;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.failure.SegmentFullException;
import java.util.ArrayList;
import java.util.List;

/**
 * Allocates memory of all sizes at all ranks until there is none, and frees some of it. So segments are full most of
 * the time, and their free memory is in pieces.
 */
final class PressureWorkload extends Workload {

    private static final int LARGEST_WORDS = 1 << 14;
    private static final int FULL_STEPS = 200;

    private final List<Pointer<Long>> pieces = new ArrayList<>();
    // The number of steps for which memory is left full.
    private int full;

    PressureWorkload(Scene scene, int thread) {
        super(scene, Structure.EPOCHS, thread);
    }

    @Override
    protected void open() {
        // Pieces of memory have no name.
    }

    @Override
    protected void step() throws Exception {
        if (full > 1) {
            full--;
        } else if (full == 1) {
            free(pieces.size() / 2);
            full = 0;
        } else {
            int words = 1 + random.nextInt(1 << random.nextInt(Integer.numberOfTrailingZeros(LARGEST_WORDS)));
            try {
                record(Verb.OPEN, 7, words, 0, () -> {
                    pieces.add(scene.world.allocate(random.nextInt(scene.setting.size()), Long.class, words));
                    return 0;
                });
            } catch (SegmentFullException noRoom) {
                full = FULL_STEPS;
            }
        }
    }

    private void free(int count) throws Exception {
        for (int done = 0; done < count; done++) {
            Pointer<Long> piece = pieces.remove(random.nextInt(pieces.size()));
            record(Verb.OPEN, 8, 0, 0, () -> {
                piece.free();
                return 0;
            });
        }
    }

    /** Frees everything, since other workloads need the memory for their work at the end. */
    @Override
    public void drain() throws Exception {
        free(pieces.size());
    }
}
