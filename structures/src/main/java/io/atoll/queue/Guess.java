package io.atoll.queue;

/**
 * Guesses the ticket in a head or tail, as if all exchanges that are under way took place. So a batch
 * can exchange the word before the batches in front of it are answered. If a guess is wrong, its exchange does not take
 * place, and neither do those that were guessed from it. One thread at a time uses it.
 */
final class Guess {

    private CachedWord word; // that of the ring which the last guess was for
    private long next; // the ticket after all exchanges that are under way; 0 if none is known
    private int generation; // how often all guesses were discarded

    Guess(CachedWord word) {
        this.word = word;
    }

    /** Returns the ticket that is in this word, or will be. */
    long ticketIn(CachedWord asked) {
        long last = RingBlock.ticket(asked.last());
        return asked == word ? Math.max(last, next) : last;
    }

    /** Notes that an exchange is under way that leaves this ticket in the word. Returns the generation of the guess. */
    int expect(CachedWord exchanged, long ticket) {
        if (exchanged != word) {
            word = exchanged; // the queue goes on in another ring
            generation++;
        }
        next = ticket;
        return generation;
    }

    /**
     * Discards all guesses, since an exchange of this generation has not taken place. Does nothing if they have been
     * discarded since that exchange was added.
     */
    void discard(int ofGeneration) {
        if (ofGeneration == generation) {
            generation++;
            next = 0;
        }
    }
}
