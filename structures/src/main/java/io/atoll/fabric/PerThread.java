package io.atoll.fabric;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What each thread has of a fabric, such as buffers, for as long as both the thread and the fabric are there.
 * <pre>
 *   thread  --&gt;  reference  - weak -&gt;  value
 *                                        ^
 *   fabric  --&gt;  this  --&gt;  values  -----+
 * </pre>
 * A plain {@link ThreadLocal} does not do: the entry of one that is gone stays in the map of its thread, with its value,
 * until the thread happens to need that place. So threads know their values only weakly. When a thread has ended, its
 * reference is collected, and then its value is forgotten.
 *
 * @param <T> a value, which must not lead to this
 */
public final class PerThread<T> {

    private static final Cleaner CLEANER = Cleaner.create();

    private final Map<Object, T> values = new ConcurrentHashMap<>();
    private final ThreadLocal<WeakReference<T>> ofThread;

    /** @param first makes the value of the calling thread */
    public PerThread(Supplier<T> first) {
        Map<Object, T> known = values;
        ofThread = ThreadLocal.withInitial(() -> {
            T value = first.get();
            var key = new Object();
            known.put(key, value);
            var reference = new WeakReference<>(value);
            forgetAfter(reference, new WeakReference<>(known), key);
            return reference;
        });
    }

    /** The cleaner must not know the value: else that would stay as long as the thread does. */
    private static <T> void forgetAfter(WeakReference<T> ofThread, WeakReference<Map<Object, T>> values, Object key) {
        CLEANER.register(ofThread, () -> {
            Map<Object, T> known = values.get();
            if (known != null) {
                known.remove(key);
            }
        });
    }

    /** The calling thread's. Allocates nothing but the first time. */
    public T value() {
        T value = ofThread.get().get();
        assert value != null : "values are forgotten only when nobody can ask for them";
        return value;
    }
}
