package io.atoll.map;

import java.util.Optional;

/**
 * Where entries of a map are read on from. It stays valid while the map grows: what is there all the time is seen once, what comes and goes may or may not be.
 *
 * @param rank in whose segment they lie
 * @param home from which on their hashes are read there
 */
public record MapPlace(int rank, long home) {

    public static final MapPlace FIRST = new MapPlace(0, 0);

    public MapPlace {
        if (rank < 0 || home < 0 || home >= Block.HOMES) {
            throw new IllegalArgumentException(
                    "no map has such a place, home is below 2^" + Block.HOME_BITS + ": rank=" + rank + " home=" + home);
        }
    }

    /** Reads entries of one rank. */
    interface Reader {

        /** Returns the home with which it goes on. */
        long read(int rank, long home);
    }

    /** Of this rank and those behind it, for as long as the stretch goes on; empty at the end of the map. */
    Optional<MapPlace> read(int ranks, Stretch stretch, Reader reader) {
        MapPlace place = this;
        while (place.rank < ranks && stretch.goesOn()) {
            long home = reader.read(place.rank, place.home);
            place = home < Block.HOMES ? new MapPlace(place.rank, home) : new MapPlace(place.rank + 1, 0);
        }
        return place.rank < ranks ? Optional.of(place) : Optional.empty();
    }
}
