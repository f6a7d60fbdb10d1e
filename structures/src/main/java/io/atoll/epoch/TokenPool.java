package io.atoll.epoch;

import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.world.WaitingLine;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that threads borrow, each for one operation: ten thousand threads can use structures although their rank has
 * only some hundred tokens. The pool takes a token from the rank's table when it first needs it. It lends at most
 * {@value #MOST} tokens, and at most a quarter of the table, but always one.
 */
final class TokenPool {

    private static final int MOST = 64;
    private static final Thread NOBODY = Thread.ofPlatform().name("nobody").unstarted(() -> {});

    private static final int NO_PLACE = -1;

    private static final int FREE = 0;
    private static final int TAKEN = 1;

    private final RankEpochs rankEpochs;
    private final int places;
    private final AtomicIntegerArray states;
    private final AtomicReferenceArray<@Nullable WorldToken> tokens; // set by the thread that first takes the place
    private final WaitingLine line;
    // Made before they are needed: when the stack or memory is exhausted, a lambda could not be linked, and never
    // again.
    private final Supplier<@Nullable WorldToken> borrowing = this::borrowInLine;
    private final Consumer<WorldToken> lending = created -> created.lentBy(this, NO_PLACE);

    TokenPool(RankEpochs rankEpochs) {
        this.rankEpochs = rankEpochs;
        this.places = Integer.highestOneBit(Math.clamp(rankEpochs.settings().tokens() / 4, 1, MOST));
        this.states = new AtomicIntegerArray(places);
        this.tokens = new AtomicReferenceArray<>(places);
        this.line = new WaitingLine(rankEpochs.self().endpoint().clock());
    }

    /** Returns a token. If the thread has already borrowed one, it is that one. */
    WorldToken borrow() {
        WorldToken token = line.isStarving() ? borrowed() : tryBorrow();
        return token != null ? token : await();
    }

    private WorldToken await() {
        Duration timeout = rankEpochs.self().reservations().timeout();
        WorldToken token = line.await(borrowing, timeout);
        if (token == null) {
            throw new FabricTimeoutException(
                    "all tokens are lent to threads of this process that do not go on, look at them",
                    "tokens=" + places,
                    timeout, "pin", rankEpochs.self().rank(), FabricException.WHOLE_SEGMENT)
                    .in(rankEpochs.structure());
        }
        return token;
    }

    /** Returns the token that the calling thread has borrowed and not given back, or null if there is none. */
    @Nullable WorldToken borrowed() {
        Thread borrower = Thread.currentThread();
        for (int place = 0; place < places; place++) {
            WorldToken token = tokens.get(place);
            if (token != null && token.thread() == borrower) {
                return token;
            }
        }
        return null;
    }

    private @Nullable WorldToken borrowInLine() {
        WorldToken token = tryBorrow();
        if (token == null) {
            rankEpochs.refuseIfFenced();
        }
        return token;
    }

    private @Nullable WorldToken tryBorrow() {
        Thread borrower = Thread.currentThread();
        int first = (int) borrower.threadId();
        for (int probe = 0; probe < places; probe++) {
            int place = first + probe & places - 1;
            WorldToken token = states.get(place) == FREE ? take(place, borrower) : tokens.get(place);
            // A taken token names its borrower, and only this thread makes a token name this thread.
            if (token != null && token.thread() == borrower) {
                return token;
            }
        }
        return null;
    }

    private @Nullable WorldToken take(int place, Thread borrower) {
        if (!states.compareAndSet(place, FREE, TAKEN)) {
            return null;
        }
        WorldToken token = null;
        try {
            token = tokens.get(place);
            if (token == null) {
                token = create(place);
            }
            if (token != null) {
                token.belongTo(borrower);
            }
            return token;
        } finally {
            if (token == null) {
                states.set(place, FREE);
            }
        }
    }

    /** Returns null if the table is full and the place has no token yet. */
    private @Nullable WorldToken create(int place) {
        String name = "operations " + place;
        // Lent before other threads see it: while no thread borrows it, it would look like the token of a thread that
        // has ended.
        WorldToken token = isEmpty()
                ? rankEpochs.register(name, lending)
                : rankEpochs.tryRegister(name, lending);
        if (token != null) {
            token.lentBy(this, place);
            tokens.set(place, token);
        }
        return token;
    }

    private boolean isEmpty() {
        for (int place = 0; place < places; place++) {
            if (tokens.get(place) != null) {
                return false;
            }
        }
        return true;
    }

    /** Puts into limbo what is in the bags of tokens that no thread has borrowed. */
    void sealIdle() {
        for (int place = 0; place < places; place++) {
            WorldToken token = tokens.get(place);
            if (token != null && states.compareAndSet(place, FREE, TAKEN)) {
                try {
                    token.sealPinned();
                } finally {
                    states.setRelease(place, FREE);
                }
            }
        }
    }

    void takeBack(WorldToken token, int place) {
        token.belongTo(NOBODY);
        states.setRelease(place, FREE);
    }
}
