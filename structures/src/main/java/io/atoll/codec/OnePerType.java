package io.atoll.codec;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one codec for each type, while somebody uses it.
 * <pre>
 *   type  --&gt;  place  --&gt;  reference  - weak -&gt;  codec
 * </pre>
 *
 * <p>A {@link ClassValue} stays with its type, and most types are the JDK's. A codec that stayed there would keep the
 * class loader of Atoll. That loader must go when a servlet container replaces an application. So what a type keeps is
 * of the JDK's classes alone.
 *
 * @param <C> a codec
 */
final class OnePerType<C> {

    private final Function<Class<?>, C> maker;

    private final ClassValue<AtomicReference<@Nullable WeakReference<C>>> places = new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable WeakReference<C>> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };

    /** @param maker makes the codec of a type. Several threads may call it at once for one type */
    OnePerType(Function<Class<?>, C> maker) {
        this.maker = maker;
    }

    /** Returns the codec of the type. Throws what the maker throws, and then asks it again the next time. */
    C of(Class<?> type) {
        AtomicReference<@Nullable WeakReference<C>> place = places.get(type);
        WeakReference<C> known = place.get();
        C present = known == null ? null : known.get();
        if (present != null) {
            return present;
        }
        C made = maker.apply(type);
        return place.compareAndSet(known, new WeakReference<>(made)) ? made : of(type);
    }
}
