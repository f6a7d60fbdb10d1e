package io.atoll.map;

import io.atoll.promise.Promise;
import io.atoll.promise.Use;

/** The uses of a map: a caller promises which of them others do not make (BCL, table 3). */
enum MapPromises implements Use {

    FIND(MapPromises.FINDS, MapPromises.ANYTHING), FIND_WHILE_ALL_ONLY_FIND(MapPromises.FINDS,
            MapPromises.FINDS), INSERT(MapPromises.INSERTS,
                    MapPromises.ANYTHING), INSERT_WHILE_ALL_ONLY_INSERT(MapPromises.INSERTS,
                            MapPromises.INSERTS), CHANGE(MapPromises.CHANGES,
                                    MapPromises.ANYTHING), LOCAL(MapPromises.OF_OWN_ENTRIES,
                                            MapPromises.OF_OWN_ENTRIES);

    private static final int FINDS = 1;
    private static final int INSERTS = 2;
    private static final int CHANGES = 4;
    private static final int ANYTHING = FINDS | INSERTS | CHANGES;
    private static final int OF_OWN_ENTRIES = 8;

    private final int operation;
    private final int allowed;

    MapPromises(int operation, int allowed) {
        this.operation = operation;
        this.allowed = allowed;
    }

    static MapPromises find(Promise.Reading promise) {
        return Use.of(promise, FIND, FIND_WHILE_ALL_ONLY_FIND, LOCAL);
    }

    static MapPromises insert(Promise.Inserting promise) {
        return Use.of(promise, INSERT, INSERT_WHILE_ALL_ONLY_INSERT, LOCAL);
    }

    @Override
    public int operation() {
        return operation;
    }

    @Override
    public int allowed() {
        return allowed;
    }

    @Override
    public boolean isOfOneThread() {
        return this == LOCAL;
    }
}
