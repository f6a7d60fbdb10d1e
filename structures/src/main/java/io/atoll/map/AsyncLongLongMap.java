package io.atoll.map;

import io.atoll.completion.Completions;
import io.atoll.completion.Operation;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * A {@link LongLongMap} whose operations return at once, and complete their stages later; {@link Completions} says when
 * and by whom. They do what the operations of the map do that have the same names, at the same costs in verbs. But they
 * share round trips with all others that are under way. A key that this process reaches by loads and stores takes no
 * round trip: its operation is done when the call returns.
 *
 * <p>What is refused before it begins, such as a value out of range, is thrown by the call. Any other failure completes
 * the stage exceptionally.
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

    private <T> CompletionStage<T> submit(MapPromises use, long key,
            Function<LongTable, ? extends LongOperation<T>> making) {
        LongTable table = map.table(use);
        boolean isNear = table.endpoint.executesAtOnce(table.ownerOf(key));
        LongOperation<T> operation = making.apply(table);
        return isNear ? completions.submitted(operation::alone) : completions.submit((Operation<T>) operation);
    }

    private static LongFunction<Long> orElse(long defaultValue) {
        return word -> LongBucket.isPresent(word) ? LongBucket.value(word) : defaultValue;
    }

    /** @see LongLongMap#getOrDefault(long, long) */
    public CompletionStage<Long> getOrDefault(long key, long defaultValue) {
        return submit(MapPromises.FIND, key, table -> new LongOperation.Find<>(table, key, orElse(defaultValue)));
    }

    /** @see LongLongMap#containsKey */
    public CompletionStage<Boolean> containsKey(long key) {
        return submit(MapPromises.FIND, key, table -> new LongOperation.Find<>(table, key, LongBucket::isPresent));
    }

    /** @see LongLongMap#putIfAbsent(long, long) */
    public CompletionStage<Boolean> putIfAbsent(long key, long value) {
        LongLongMap.checkValue(value);
        return submit(MapPromises.INSERT, key, table -> new LongOperation.Insert(table, key, value));
    }

    /** @see LongLongMap#put */
    public CompletionStage<Boolean> put(long key, long value) {
        LongLongMap.checkValue(value);
        return submit(MapPromises.CHANGE, key,
                table -> new LongOperation.Put<>(table, key, value, word -> !LongBucket.isPresent(word)));
    }

    /** @see LongLongMap#getAndPut */
    public CompletionStage<Long> getAndPut(long key, long value, long defaultValue) {
        LongLongMap.checkValue(value);
        return submit(MapPromises.CHANGE, key,
                table -> new LongOperation.Put<>(table, key, value, orElse(defaultValue)));
    }

    /** @see LongLongMap#addAndGet */
    public CompletionStage<Long> addAndGet(long key, long delta) {
        LongLongMap.checkDelta(delta);
        return submit(MapPromises.CHANGE, key, table -> new LongOperation.Add(table, key, delta));
    }

    /** @see LongLongMap#replace */
    public CompletionStage<Boolean> replace(long key, long expected, long value) {
        LongLongMap.checkValue(expected);
        LongLongMap.checkValue(value);
        return submit(MapPromises.CHANGE, key, table -> new LongOperation.Replace(table, key, expected, value));
    }

    /** @see LongLongMap#getAndRemove */
    public CompletionStage<Long> getAndRemove(long key, long defaultValue) {
        return submit(MapPromises.CHANGE, key, table -> new LongOperation.Remove(table, key, defaultValue));
    }

    @Override
    public String toString() {
        return "Async" + map;
    }
}
