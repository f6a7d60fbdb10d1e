package io.atoll.map;

import io.atoll.World;

/** Counts in a map that was opened far too small. The same rank owns a given key in all kinds of maps. */
interface CountingMap {

    /** The kinds of maps. */
    enum Kind {

        LONGS {
            @Override
            CountingMap open(World world) {
                LongLongMap map = world.longMap("longs").capacity(1).openLazily();
                return new CountingMap() {

                    @Override
                    public long increment(long key) {
                        return map.addAndGet(key, 1);
                    }

                    @Override
                    public long find(long key) {
                        return map.getOrDefault(key, 0);
                    }
                };
            }
        },

        OBJECTS {
            @Override
            CountingMap open(World world) {
                DistributedMap<Long, Long> map = world.map("objects", Long.class, Long.class).capacity(1).openLazily();
                return new CountingMap() {

                    @Override
                    public long increment(long key) {
                        return map.merge(key, 1L, Long::sum);
                    }

                    @Override
                    public long find(long key) {
                        Long found = map.get(key);
                        return found == null ? 0 : found;
                    }
                };
            }
        },

        TEXTS {
            @Override
            CountingMap open(World world) {
                DistributedMap<String, String> map = world.map("texts", String.class, String.class)
                        .hash(Long::parseLong)
                        .capacity(1)
                        .openLazily();
                return new CountingMap() {

                    @Override
                    public long increment(long key) {
                        return map.merge("" + key, "+", String::concat).length();
                    }

                    @Override
                    public long find(long key) {
                        String found = map.get("" + key);
                        return found == null ? 0 : found.length();
                    }
                };
            }
        };

        abstract CountingMap open(World world);
    }

    /** Returns the count after the increment. */
    long increment(long key);

    /** Returns the count; 0 for a key that was never counted. */
    long find(long key);
}
