package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Functions that throw, stack overflows and exhausted heaps, in the middle of operations at keys that all other
 * workloads use.
 */
final class ErrorWorkload extends Workload {

    private static final int DEEPEST = 1_000_000;
    private static final int PIECE = 1 << 20;

    private @Nullable DistributedMap<Long, Long> map;
    private @Nullable LockTable locks;

    ErrorWorkload(Scene scene, int thread) {
        super(scene, Structure.FIXED_MAP, thread);
    }

    @Override
    protected void open() {
        map = scene.world.map("fixed-map", Long.class, Long.class).capacity(64).open();
        locks = scene.world.lockTable("locks-ALOCK").locks(6).open();
    }

    @Override
    protected void step() throws Exception {
        DistributedMap<Long, Long> opened = map;
        LockTable table = locks;
        if (opened == null || table == null) {
            throw new IllegalStateException("not open");
        }
        long key = key();
        switch (random.nextInt(24)) {
            case 0 ->
                injected(Verb.INCREMENT, key, value(), argument -> orAbsent(opened.merge(key, argument, (_, _) -> {
                    throw new Injected();
                })));
            case 1 -> injected(Verb.OPEN, key, 1, _ -> orAbsent(opened.computeIfAbsent(key, _ -> {
                throw ErrorWorkload.<RuntimeException>sneaky(new IOException("injected"));
            })));
            case 2 -> injected(Verb.OPEN, key, 2, _ -> orAbsent(opened.compute(key, (_, _) -> {
                throw new OutOfMemoryError("injected");
            })));
            case 3 -> dive(0, () -> injected(Verb.INCREMENT, key, 1,
                    delta -> orAbsent(opened.merge(key, delta, Long::sum))));
            case 4 -> lock(table, key % 6);
            case 5 -> injected(Verb.OPEN, key, 4, _ -> fill());
            default -> record(Verb.FIND, key, 0, 0, () -> orAbsent(opened.get(key)));
        }
    }

    private interface Action {
        long of(long argument) throws Exception;
    }

    private void injected(Verb verb, long key, long argument, Action action) throws Exception {
        try {
            record(verb, key, argument, 0, () -> action.of(argument));
        } catch (Injected expected) {
            extra = 0;
        } catch (OutOfMemoryError | IOException expected) {
            extra = expected.getStackTrace().length;
        }
    }

    /** Acquires near the end of the stack, and releases with enough stack. The holder is not recorded. */
    private void lock(LockTable table, long index) throws Exception {
        Acquisition[] held = new Acquisition[1];
        try {
            dive(0, () -> injected(Verb.OPEN, index, 3, _ -> {
                if (held[0] == null) {
                    // Nothing can fail between the return and the store.
                    held[0] = table.tryLockAt(index);
                }
                return 0;
            }));
        } finally {
            if (held[0] != null) {
                held[0].close();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable checked) throws T {
        throw (T) checked;
    }

    private interface Dive {
        void act() throws Exception;
    }

    /** Runs the action near the end of the stack. If it fails there, tries again with a little more of the stack. */
    private static void dive(int depth, Dive action) throws Exception {
        try {
            if (depth < DEEPEST) {
                dive(depth + 1, action);
            }
        } catch (StackOverflowError end) {
            action.act();
        }
    }

    /** Fills the heap, so that other threads run out of memory as well. */
    private static long fill() {
        List<byte[]> pieces = new ArrayList<>();
        while (pieces.size() < Integer.MAX_VALUE) {
            pieces.add(new byte[PIECE]);
        }
        return pieces.size();
    }
}
