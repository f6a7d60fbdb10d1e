package io.atoll.queue;

/**
 * Where the next of several exchanges of one word finds it, if those that are under way take place. It may be wrong:
 * then that exchange does not take place, and neither do those that were guessed from it. One thread at a time uses it.
 */
final class Guess {

    private CachedWord word;
    private long next; // 0 if no exchange is under way from which it could be guessed
    private int generation; // how many guesses were wrong

    Guess(CachedWord word) {
        this.word = word;
    }

    /** Returns the ticket in the word. */
    long of(CachedWord asked) {
        long last = RingBlock.ticket(asked.last());
        return asked == word ? Math.max(last, next) : last;
    }

    /** An exchange is under way that leaves this ticket in the word. Returns what {@link #isWrong} needs to know. */
    int expects(CachedWord exchanged, long ticket) {
        if (exchanged != word) {
            word = exchanged; // the queue goes on in another ring
            generation++;
        }
        next = ticket;
        return generation;
    }

    /** An exchange did not take place. What was guessed since from another wrong guess says nothing new. */
    void isWrong(int ofGeneration) {
        if (ofGeneration == generation) {
            generation++;
            next = 0;
        }
    }
}
