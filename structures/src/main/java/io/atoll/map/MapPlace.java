package io.atoll.map;

import io.atoll.failure.FabricException;
import java.util.Optional;

/**
 * A place from which the caller goes on reading a map's entries. It stays valid while the map grows. A key that is in
 * the map all the time is visited once. A key that comes or goes meanwhile may or may not be visited.
 *
 * @param rank the rank in whose segment the next entries lie
 * @param home the first home, in the order of hashes, whose entries have not been read there
 */
public record MapPlace(int rank, long home) {

    public static final MapPlace FIRST = new MapPlace(0, 0);

    public MapPlace {
        if (rank < 0 || home < 0 || home >= Block.HOMES) {
            throw new IllegalArgumentException(
                    "no map has such a place, home is below 2^" + Block.HOME_BITS + ": rank=" + rank + " home=" + home);
        }
    }

    /** Reads some entries of one rank at once, beginning at a home. */
    interface Reader {

        /** Visits no entry if it fails. Returns the home at which to continue. */
        long read(int rank, long home);
    }

    /**
     * Reads entries of this rank and the ranks behind it, for as long as the stretch goes on. Returns the place at
     * which to continue. It is empty at the end of the map. A failure behind the first read ends the stretch. The
     * caller meets it if it goes on, and then it is about the rank of the place.
     *
     * @throws FabricException if the entries at this place cannot be read
     */
    Optional<MapPlace> read(int ranks, Stretch stretch, Reader reader) {
        MapPlace place = this;
        while (place.rank < ranks && stretch.goesOn()) {
            long home;
            try {
                home = reader.read(place.rank, place.home);
            } catch (FabricException failure) {
                if (place.equals(this)) {
                    throw failure;
                }
                break;
            }
            place = home < Block.HOMES ? new MapPlace(place.rank, home) : new MapPlace(place.rank + 1, 0);
        }
        return place.rank < ranks ? Optional.of(place) : Optional.empty();
    }
}
