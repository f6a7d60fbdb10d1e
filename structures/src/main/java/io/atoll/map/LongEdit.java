package io.atoll.map;

import io.atoll.fabric.Batch;

/** What an asynchronous operation on a {@link LongTable} makes of the word of a key's {@link LongBucket}. */
abstract class LongEdit {

    /** How many results {@link #addSearch} has in a batch at most. */
    static final int SEARCH_ATOMICS = 2;

    private final boolean inserts;

    private LongEdit(boolean inserts) {
        this.inserts = inserts;
    }

    /** Leaves the word as it is. */
    static LongEdit find() {
        return new Find();
    }

    /** Gives the key a value. */
    static LongEdit put(long value) {
        return new Put(value);
    }

    /** Gives the key a value if it has none. */
    static LongEdit insert(long value) {
        return new Insert(value);
    }

    /** Adds to the key's value. */
    static LongEdit add(long delta) {
        return new Add(delta);
    }

    /** Gives the key a value if it has the expected one. */
    static LongEdit replace(long expected, long value) {
        return new Replace(expected, value);
    }

    /** Removes the key. */
    static LongEdit remove() {
        return new Remove();
    }

    /** Returns true if a key that is in no bucket gets one, for the value that {@link #changed} says. */
    final boolean inserts() {
        return inserts;
    }

    /** Returns what takes the place of this word, which is present or absent; the word itself if it is to stay. */
    abstract long changed(long word);

    /** @throws ArithmeticException if this word must not be changed */
    void check(long key, long word) {
        // Any value may make way for another one.
    }

    /** Returns true if it adds to this word, in place of exchanging it. */
    boolean adds(long word) {
        return false;
    }

    /** Returns how much it adds. */
    long delta() {
        throw new AssertionError("adds nothing: edit=" + this);
    }

    /** Returns true if the owner can find the word and change it. */
    boolean searches() {
        return true;
    }

    /** Adds what lets the owner do so (6, 7). Returns the index of what {@link #searched} tells. */
    abstract int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash,
            long key);

    /** Returns the word that the owner has found, or {@link LongReader#UNCLEAR} if nothing was done. */
    long searched(Batch batch, int index) {
        return LongSearcher.replaced(batch, index);
    }

    private static final class Find extends LongEdit {

        private Find() {
            super(false);
        }

        @Override
        long changed(long word) {
            return word;
        }

        @Override
        boolean searches() {
            return false; // a look is one round, and one read
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            throw new AssertionError("it looks");
        }
    }

    private static final class Put extends LongEdit {

        private final long value;

        private Put(long value) {
            super(true);
            this.value = value;
        }

        @Override
        long changed(long word) {
            return LongBucket.present(value);
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            return searcher.addPut(batch, position, owner, first, hash, key, value);
        }
    }

    private static final class Insert extends LongEdit {

        private final long value;

        private Insert(long value) {
            super(true);
            this.value = value;
        }

        @Override
        long changed(long word) {
            return LongBucket.isPresent(word) ? word : LongBucket.present(value);
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            return searcher.addFind(batch, position, owner, first, hash, key);
        }

        @Override
        long searched(Batch batch, int index) {
            return batch.result(index);
        }
    }

    private static final class Add extends LongEdit {

        private final long delta;

        private Add(long delta) {
            super(true);
            this.delta = delta;
        }

        @Override
        long changed(long word) {
            return LongBucket.present(delta);
        }

        @Override
        void check(long key, long word) {
            if (adds(word)) {
                LongTable.checkSum(key, LongBucket.value(word), delta);
            }
        }

        @Override
        boolean adds(long word) {
            return LongBucket.isPresent(word);
        }

        @Override
        long delta() {
            return delta;
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            return searcher.addAddition(batch, position, owner, first, hash, key, delta);
        }

        @Override
        long searched(Batch batch, int index) {
            return LongSearcher.added(batch, index);
        }
    }

    private static final class Replace extends LongEdit {

        private final long expected;
        private final long value;

        private Replace(long expected, long value) {
            super(false);
            this.expected = LongBucket.present(expected);
            this.value = LongBucket.present(value);
        }

        @Override
        long changed(long word) {
            return word == expected ? value : word;
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            return searcher.addExchange(batch, position, owner, first, hash, key, expected, value);
        }

        @Override
        long searched(Batch batch, int index) {
            return batch.result(index);
        }
    }

    private static final class Remove extends LongEdit {

        private Remove() {
            super(false);
        }

        @Override
        long changed(long word) {
            return LongBucket.ABSENT;
        }

        @Override
        int addSearch(LongSearcher searcher, Batch batch, long position, int owner, long first, long hash, long key) {
            return searcher.addRemoval(batch, position, owner, first, hash, key);
        }
    }
}
