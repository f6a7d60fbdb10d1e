package io.atoll.admin.api;

import io.atoll.map.MapPlace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of a map, from a place on.
 *
 * @param items about 20, fewer where the map is sparse: what an answer reads is bounded
 * @param unread ranks that could not be read, whose entries are left out
 * @param next where to go on; null at the end of the map
 */
record SomeEntries(List<Entry> items, List<Integer> unread, @Nullable MapPlace next) {}
