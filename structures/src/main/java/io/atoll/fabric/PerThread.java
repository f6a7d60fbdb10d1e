package io.atoll.fabric;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Keeps a value for each thread of a fabric, such as buffers, while both the thread and the fabric live.
 * <pre>
 *   thread  --&gt;  reference  - weak -&gt;  value
 *                                        ^
 *   fabric  --&gt;  this  --&gt;  values  -----+
 * </pre>
 *
 * <p>A plain {@link ThreadLocal} does not suffice. Each thread has a map of such objects. After the object is gone, its
 * entry and value stay there until the thread needs that place. So threads know their values only weakly. When a thread
 * has ended, its reference is collected, and then its value is forgotten.
 *
 * @param <T> a value, which must not lead to this object
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

    /** Static, because the cleaner must not know the value: else the value would stay as long as the thread does. */
    private static <T> void forgetAfter(WeakReference<T> ofThread, WeakReference<Map<Object, T>> values, Object key) {
        CLEANER.register(ofThread, () -> {
            Map<Object, T> known = values.get();
            if (known != null) {
                known.remove(key);
            }
        });
    }

    /** Returns the calling thread's value. Allocates only at the thread's first call. */
    public T value() {
        T value = ofThread.get().get();
        assert value != null : "values are forgotten only when nobody can ask for them";
        return value;
    }
}
