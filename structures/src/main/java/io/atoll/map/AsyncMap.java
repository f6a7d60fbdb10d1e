package io.atoll.map;

import io.atoll.completion.Completions;
import io.atoll.map.Entries.Edit;
import io.atoll.promise.Promise;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DistributedMap} whose operations return at once, and complete their stages later; {@link Completions} says
 * when and by whom. They do what the operations of the map do that have the same names, at the same costs in verbs. But
 * they share round trips with all others that are under way. A key that this process reaches by loads and stores takes
 * no round trip: its operation is done when the call returns.
 *
 * <p>A virtual thread does each operation on keys or values of variable size, and each {@link #merge} with a value that
 * is there. These wait for several round trips one after the other, but for none of each other.
 *
 * <p>What is refused before it begins is thrown by the call. Any other failure completes the stage exceptionally.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 *
 * @param <K> keys
 * @param <V> values
 */
public final class AsyncMap<K, V> {

    private final DistributedMap<K, V> map;
    private final Completions completions;

    AsyncMap(DistributedMap<K, V> map, Completions completions) {
        this.map = map;
        this.completions = completions;
    }

    private <R> CompletionStage<R> submit(MapPromises use, K key, Edit<V> edit, Function<Boolean, R> result) {
        Entries<K, V> entries = map.entries(use);
        return entries.submit(completions, key, edit, result, () -> result.apply(entries.change(key, edit)));
    }

    /** @see DistributedMap#get(Object) */
    public CompletionStage<@Nullable V> get(K key) {
        Entries<K, V> entries = map.entries(MapPromises.FIND);
        Edit.Get<V> get = Edit.get();
        return entries.submit(completions, key, get, isAbsent -> get.value,
                () -> entries.findHere(key, Promise.nothing()));
    }

    /** @see DistributedMap#put */
    public CompletionStage<Boolean> put(K key, V value) {
        return submit(MapPromises.CHANGE, key, Edit.put(value), wasAbsent -> wasAbsent);
    }

    /** @see DistributedMap#putIfAbsent(Object, Object) */
    public CompletionStage<Boolean> putIfAbsent(K key, V value) {
        return submit(MapPromises.INSERT, key, Edit.insert(value), wasAbsent -> wasAbsent);
    }

    /** @see DistributedMap#getAndPut */
    public CompletionStage<@Nullable V> getAndPut(K key, V value) {
        Edit.GetAndPut<V> put = Edit.getAndPut(value);
        return submit(MapPromises.CHANGE, key, put, wasAbsent -> put.former);
    }

    /** @see DistributedMap#getAndPutIfAbsent */
    public CompletionStage<@Nullable V> getAndPutIfAbsent(K key, V value) {
        Edit.GetAndPut<V> put = Edit.putIfAbsent(value);
        return submit(MapPromises.INSERT, key, put, wasAbsent -> put.former);
    }

    /** @see DistributedMap#getAndReplace */
    public CompletionStage<@Nullable V> getAndReplace(K key, V value) {
        Edit.GetAndPut<V> replace = Edit.replace(value);
        return submit(MapPromises.CHANGE, key, replace, wasAbsent -> replace.former);
    }

    /** @see DistributedMap#replace */
    public CompletionStage<Boolean> replace(K key, V expected, V value) {
        Edit.Exchange<V> replace = Edit.replace(expected, value);
        return submit(MapPromises.CHANGE, key, replace, wasAbsent -> replace.found);
    }

    /** @see DistributedMap#remove(Object) */
    public CompletionStage<Boolean> remove(K key) {
        Edit.Delete<V> remove = Edit.delete();
        return submit(MapPromises.CHANGE, key, remove, wasAbsent -> remove.found);
    }

    /** @see DistributedMap#getAndRemove */
    public CompletionStage<@Nullable V> getAndRemove(K key) {
        Edit.Remove<V> remove = Edit.remove();
        return submit(MapPromises.CHANGE, key, remove, wasAbsent -> remove.value);
    }

    /** @see DistributedMap#merge */
    public CompletionStage<@Nullable V> merge(K key, V value,
            BiFunction<? super V, ? super V, ? extends @Nullable V> combine) {
        Edit.Merge<V> merge = Edit.merge(value, combine);
        return submit(MapPromises.CHANGE, key, merge, wasAbsent -> merge.value);
    }

    @Override
    public String toString() {
        return "Async" + map;
    }
}
