package io.atoll.admin.api;

import java.util.List;
import java.util.function.Function;

/**
 * A part of a list that may be long.
 *
 * @param page which part, from 0
 * @param size how many items a part has, the last one perhaps fewer
 * @param total how many the list has
 */
record Paged<T>(int page, int size, int total, List<T> items) {

    static final int MAXIMUM_SIZE = 100;

    /** What a size has to be. */
    static final String ITEMS = "a page has 1 to " + MAXIMUM_SIZE + " items";

    /**
     * The part of the list, each item of it mapped, and none else.
     *
     * @throws IllegalArgumentException if there is no such part of any list
     */
    static <S, T> Paged<T> of(List<S> list, int page, int size, Function<S, T> mapping) {
        if (page < 0) {
            throw new IllegalArgumentException("pages are counted from 0: page=" + page);
        }
        if (size < 1 || size > MAXIMUM_SIZE) {
            throw new IllegalArgumentException(ITEMS + ": size=" + size);
        }
        List<T> items = list.stream().skip((long) page * size).limit(size).map(mapping).toList();
        return new Paged<>(page, size, list.size(), items);
    }
}
