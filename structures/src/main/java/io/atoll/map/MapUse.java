package io.atoll.map;

import io.atoll.promise.Use;

/** What users do with a map, and promise that others do not (BCL, table 3). */
enum MapUse implements Use {

    FIND(MapUse.FINDS, MapUse.ANYTHING), FIND_WHILE_ALL_ONLY_FIND(MapUse.FINDS, MapUse.FINDS), CHANGE(MapUse.CHANGES,
            MapUse.ANYTHING);

    private static final int FINDS = 1;
    private static final int CHANGES = 2;
    private static final int ANYTHING = FINDS | CHANGES;

    private final int operation;
    private final int allowed;

    MapUse(int operation, int allowed) {
        this.operation = operation;
        this.allowed = allowed;
    }

    static MapUse find(Promise promise) {
        return promise.isOnlyFinds() ? FIND_WHILE_ALL_ONLY_FIND : FIND;
    }

    @Override
    public int operation() {
        return operation;
    }

    @Override
    public int allowed() {
        return allowed;
    }
}
