package io.atoll.heap;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * The slab tables of all ranks. The first words of runs form a chain by their lengths. It leads from slab 0 to 0 +
 * length, and so on, up to the first zero, where the next run will be. A walk may begin at any slab that was a head
 * once. If its run has become part of another since, its word still leads to what was the next head. No rank may
 * reserve such a run.
 */
final class SlabTable {

    /** The words that one read of a walk brings. */
    static final int WINDOW = 512;

    private final Endpoint endpoint;
    private final HeapArea area;
    private final SearchHints hints;

    public SlabTable(Endpoint endpoint, HeapArea area) {
        this.endpoint = endpoint;
        this.area = area;
        this.hints = new SearchHints(endpoint, area);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public HeapArea area() {
        return area;
    }

    public SearchHints hints() {
        return hints;
    }

    /** Returns the word of the slab. Cost: R. */
    public long word(int target, int slab) {
        return endpoint.readWord(target, area.wordOffset(slab));
    }

    /** Returns the word that was there. Cost: A. */
    public long compareAndExchange(int target, int slab, long expected, long word) {
        return endpoint.compareAndExchange(target, area.wordOffset(slab), expected, word);
    }

    /** Replaces a word that this rank alone may change. Cost: A. */
    public void replace(int target, int slab, long own, long word) {
        long witness = compareAndExchange(target, slab, own, word);
        if (witness != own) {
            throw takenBack(target, slab, own);
        }
    }

    /** Returns the failure of a rank that finds another word than the one that it alone may change. */
    public IllegalStateException takenBack(int target, int slab, long own) {
        return new IllegalStateException("what a living rank holds was taken back as if it were dead: rank=" + target
                + " offset=" + area.slabOffset(slab) + " holder=" + SlabWord.rank(own) + " incarnation="
                + SlabWord.incarnation(own));
    }

    /** Returns a walk from this head, or from the end of the table. Cost: R for each {@link #WINDOW} slabs. */
    public Walk walk(int target, int head) {
        return new Walk(target, head);
    }

    /** Returns a walk from this head, over these words of the table that were read from there on. */
    public Walk walk(int target, int head, long[] words) {
        return new Walk(target, head, words);
    }

    /**
     * Goes from head to head. A word may have changed since it was read, which {@link #exchange} finds out. Reads into
     * memory of its own, because the caller may be using the thread's batch.
     */
    public final class Walk {

        private final int target;
        private final long[] window;
        private int windowStart;
        private int windowEnd;
        private int slab;
        private long word;

        private Walk(int target, int head) {
            this.target = target;
            this.window = new long[Math.min(WINDOW, area.slabs())];
            moveTo(head);
        }

        private Walk(int target, int head, long[] words) {
            this.target = target;
            this.window = words;
            this.windowStart = head;
            this.windowEnd = head + words.length;
            moveTo(head);
        }

        public int slab() {
            return slab;
        }

        public long word() {
            return word;
        }

        /** Returns true if no run begins here yet. */
        public boolean atEnd() {
            return word == SlabWord.NONE;
        }

        /**
         * As {@link #atEnd}, but misses no run behind. One read may see that a run was divided, and yet miss the words
         * inside, which were zero until then. Cost: R at the end.
         */
        public boolean isAtLastEnd() {
            if (atEnd() && slab > windowStart) {
                load(slab);
                moveTo(slab);
            }
            return atEnd();
        }

        public void next() {
            assert SlabWord.length(word) > 0 : "a run has a length: rank=" + target + " slab=" + slab + " word=" + word;
            moveTo(slab + SlabWord.length(word));
        }

        /**
         * Replaces the word that was read. Returns false if it has changed meanwhile, and reads the new one. Cost: A.
         */
        public boolean exchange(long replacement) {
            long witness = compareAndExchange(target, slab, word, replacement);
            boolean exchanged = witness == word;
            word = exchanged ? replacement : witness;
            return exchanged;
        }

        private void moveTo(int head) {
            slab = head;
            if (head < windowStart || head >= windowEnd) {
                load(head);
            }
            word = head < area.slabs() ? window[head - windowStart] : SlabWord.NONE;
        }

        private void load(int head) {
            windowStart = head;
            windowEnd = Math.min(head + window.length, area.slabs());
            if (windowStart < windowEnd) {
                endpoint.read(target, area.wordOffset(head), MemorySegment.ofArray(window), 0,
                        (windowEnd - windowStart) * Layouts.WORD);
            }
        }
    }
}
