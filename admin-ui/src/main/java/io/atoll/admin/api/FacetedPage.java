package io.atoll.admin.api;

import java.util.List;
import java.util.Map;

/**
 * As {@link Paged}, with what there is to filter by.
 *
 * @param kinds how many items of each kind there are, whichever kind is asked for, in the order of kinds
 */
record FacetedPage<T>(int page, int size, int total, List<T> items, Map<String, Integer> kinds) {

    static <T> FacetedPage<T> of(Paged<T> part, Map<String, Integer> kinds) {
        return new FacetedPage<>(part.page(), part.size(), part.total(), part.items(), kinds);
    }
}
