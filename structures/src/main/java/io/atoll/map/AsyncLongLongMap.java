package io.atoll.map;

import io.atoll.completion.Completions;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A {@link LongLongMap} whose operations return at once, and complete their stages later; {@link Completions} says when
 * and by whom. They do what the operations of the map do that have the same names, at the same costs in verbs. But they
 * share round trips with all others that are under way. A key that this process reaches by loads and stores takes no
 * round trip: its operation is done when the call returns.
 *
 * <p>What is refused before it begins, such as a value out of range, is thrown by the call. Any other failure completes
 * the stage exceptionally.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 */
public final class AsyncLongLongMap {

    private final LongLongMap map;
    private final Completions completions;

    AsyncLongLongMap(LongLongMap map, Completions completions) {
        this.map = map;
        this.completions = completions;
    }

    /** Returns the operations that are under way. */
    public Completions completions() {
        return completions;
    }

    private <T> CompletionStage<T> submit(LongTable table, long key, LongEdit edit, LongFunction<T> result,
            Supplier<T> whole) {
        return table.endpoint.executesAtOnce(table.ownerOf(key))
                ? completions.submitted(whole)
                : completions.submit(new LongOperation<>(table, key, edit, result, whole));
    }

    private static LongFunction<Long> orElse(long defaultValue) {
        return word -> orElse(word, defaultValue);
    }

    private static long orElse(long word, long defaultValue) {
        return LongBucket.isPresent(word) ? LongBucket.value(word) : defaultValue;
    }

    private static boolean isAbsent(long word) {
        return !LongBucket.isPresent(word);
    }

    /** @see LongLongMap#getOrDefault(long, long) */
    public CompletionStage<Long> getOrDefault(long key, long defaultValue) {
        LongTable table = map.table(MapPromises.FIND);
        return submit(table, key, LongEdit.find(), orElse(defaultValue), () -> table.find(key, defaultValue));
    }

    /** @see LongLongMap#containsKey */
    public CompletionStage<Boolean> containsKey(long key) {
        LongTable table = map.table(MapPromises.FIND);
        return submit(table, key, LongEdit.find(), LongBucket::isPresent,
                () -> table.find(key, LongLongMap.NO_VALUE) != LongLongMap.NO_VALUE);
    }

    /** @see LongLongMap#putIfAbsent(long, long) */
    public CompletionStage<Boolean> putIfAbsent(long key, long value) {
        LongLongMap.checkValue(value);
        LongTable table = map.table(MapPromises.INSERT);
        return submit(table, key, LongEdit.insert(value), AsyncLongLongMap::isAbsent, () -> table.insert(key, value));
    }

    /** @see LongLongMap#put */
    public CompletionStage<Boolean> put(long key, long value) {
        LongLongMap.checkValue(value);
        LongTable table = map.table(MapPromises.CHANGE);
        return submit(table, key, LongEdit.put(value), AsyncLongLongMap::isAbsent,
                () -> isAbsent(table.put(key, value)));
    }

    /** @see LongLongMap#getAndPut */
    public CompletionStage<Long> getAndPut(long key, long value, long defaultValue) {
        LongLongMap.checkValue(value);
        LongTable table = map.table(MapPromises.CHANGE);
        return submit(table, key, LongEdit.put(value), orElse(defaultValue),
                () -> orElse(table.put(key, value), defaultValue));
    }

    /** @see LongLongMap#addAndGet */
    public CompletionStage<Long> addAndGet(long key, long delta) {
        LongLongMap.checkDelta(delta);
        LongTable table = map.table(MapPromises.CHANGE);
        return submit(table, key, LongEdit.add(delta), word -> orElse(word, 0) + delta,
                () -> table.increment(key, delta));
    }

    /** @see LongLongMap#replace */
    public CompletionStage<Boolean> replace(long key, long expected, long value) {
        LongLongMap.checkValue(expected);
        LongLongMap.checkValue(value);
        LongTable table = map.table(MapPromises.CHANGE);
        return submit(table, key, LongEdit.replace(expected, value), word -> word == LongBucket.present(expected),
                () -> table.compareAndSet(key, expected, value));
    }

    /** @see LongLongMap#getAndRemove */
    public CompletionStage<Long> getAndRemove(long key, long defaultValue) {
        LongTable table = map.table(MapPromises.CHANGE);
        return submit(table, key, LongEdit.remove(), orElse(defaultValue), () -> table.remove(key, defaultValue));
    }

    @Override
    public String toString() {
        return "Async" + map;
    }
}
