package io.atoll.admin.api;

import io.atoll.map.MapPlace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of a map, from a given place on.
 *
 * @param items about 20, fewer where the map is sparse, since an answer reads a bounded part of it
 * @param unread the ranks that could not be read; their entries are left out
 * @param next the place at which the next call goes on; null at the end of the map
 */
record SomeEntries(List<Entry> items, List<Integer> unread, @Nullable MapPlace next) {}
