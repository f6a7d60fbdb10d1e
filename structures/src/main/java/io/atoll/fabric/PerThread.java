package io.atoll.fabric;

import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;
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
 * <p>The cleaner leads to Atoll's class loader as long as it waits for such a reference. A thread may outlive the
 * fabric, as those of a servlet container do. So once this object is gone, the cleaner waits for none of them.
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
        Map<Object, Cleanable> awaited = new ConcurrentHashMap<>();
        ofThread = ThreadLocal.withInitial(() -> {
            T value = first.get();
            var key = new Object();
            known.put(key, value);
            var reference = new WeakReference<>(value);
            forgetAfter(reference, new WeakReference<>(known), awaited, key);
            return reference;
        });
        CLEANER.register(this, () -> awaited.values().forEach(Cleanable::clean));
    }

    /** Static, because the cleaner must not know the value: else the value would stay as long as the thread does. */
    private static <T> void forgetAfter(WeakReference<T> ofThread, WeakReference<Map<Object, T>> values,
            Map<Object, Cleanable> awaited, Object key) {
        awaited.put(key, CLEANER.register(ofThread, () -> {
            awaited.remove(key);
            Map<Object, T> known = values.get();
            if (known != null) {
                known.remove(key);
            }
        }));
    }

    /** Returns the calling thread's value. Allocates only at the thread's first call. */
    public T value() {
        T value = ofThread.get().get();
        assert value != null : "values are forgotten only when nobody can ask for them";
        return value;
    }
}
