package io.atoll.admin.api;

import java.util.List;
import java.util.Map;

/**
 * Like {@link Paged}, with the values to filter by.
 *
 * @param kinds the number of items of each kind, in the order of kinds. All kinds are counted, whichever kind was asked
 * for
 */
record FacetedPage<T>(int page, int size, int total, List<T> items, Map<String, Integer> kinds) {

    static <T> FacetedPage<T> of(Paged<T> part, Map<String, Integer> kinds) {
        return new FacetedPage<>(part.page(), part.size(), part.total(), part.items(), kinds);
    }
}
