package io.atoll.admin.api;

import java.util.List;
import java.util.function.Function;

/**
 * A part of a list that may be long.
 *
 * @param page the number of the part, from 0
 * @param size the number of items in a part; the last one may have fewer
 * @param total the number of items in the list
 */
record Paged<T>(int page, int size, int total, List<T> items) {

    static final int MAXIMUM_SIZE = 100;

    /** The message about a size out of range. */
    static final String ITEMS = "a page has 1 to " + MAXIMUM_SIZE + " items";

    /**
     * Returns the part of the list. Maps the items of this part only.
     *
     * @throws IllegalArgumentException if no list can have such a part
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
