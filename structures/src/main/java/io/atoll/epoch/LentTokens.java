package io.atoll.epoch;

import io.atoll.failure.FabricTimeoutException;
import io.atoll.world.waiting.WaitingLine;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that threads borrow, each for one operation: ten thousand threads can use structures whose rank has some hundred tokens. They are taken from
 * the rank's table when they are first needed, a quarter of it at most.
 */
final class LentTokens {

    private static final int MOST = 64;
    private static final Thread NOBODY = Thread.ofPlatform().name("nobody").unstarted(() -> {});

    private static final int FREE = 0;
    private static final int TAKEN = 1;

    private final Reclamation reclamation;
    private final int places;
    private final AtomicIntegerArray states;
    private final AtomicReferenceArray<@Nullable WorldToken> tokens; // set by who first takes the place
    private final WaitingLine line;

    LentTokens(Reclamation reclamation) {
        this.reclamation = reclamation;
        this.places = Integer.highestOneBit(Math.clamp(reclamation.settings().tokens() / 4, 1, MOST));
        this.states = new AtomicIntegerArray(places);
        this.tokens = new AtomicReferenceArray<>(places);
        this.line = new WaitingLine(reclamation.self().endpoint().clock());
    }

    /** The thread's own again, if it has borrowed one already. */
    WorldToken borrow() {
        WorldToken token = line.isStarving() ? borrowed() : tryBorrow();
        return token != null ? token : await();
    }

    private WorldToken await() {
        Duration timeout = reclamation.self().reservations().timeout();
        WorldToken token = line.await(this::tryBorrow, timeout);
        if (token == null) {
            throw new FabricTimeoutException(
                    "all tokens are lent to threads of this process that do not go on: tokens=" + places
                            + " timeoutMillis=" + timeout.toMillis(),
                    "pin", reclamation.self().rank(), FabricTimeoutException.WHOLE_SEGMENT);
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

    private @Nullable WorldToken tryBorrow() {
        Thread borrower = Thread.currentThread();
        int first = (int) borrower.threadId();
        for (int probe = 0; probe < places; probe++) {
            int place = first + probe & places - 1;
            WorldToken token = states.get(place) == FREE ? take(place, borrower) : tokens.get(place);
            // One that is taken names its borrower, and nobody else names this thread.
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
        WorldToken token = tokens.get(place);
        if (token == null) {
            token = create(place);
        }
        if (token == null) {
            states.set(place, FREE);
        } else {
            token.belongTo(borrower);
        }
        return token;
    }

    /** Null if the table is full, but for the tokens that there are already. */
    private @Nullable WorldToken create(int place) {
        String name = "operations " + place;
        // Before others see it: while nobody borrows it, it would look like one of a thread that has ended.
        Consumer<WorldToken> lending = created -> created.lentBy(this, place);
        WorldToken token = isEmpty() ? registerFirst(place, name, lending) : reclamation.tryRegister(name, lending);
        if (token != null) {
            tokens.set(place, token);
        }
        return token;
    }

    private WorldToken registerFirst(int place, String name, Consumer<WorldToken> lending) {
        try {
            return reclamation.register(name, lending);
        } catch (IllegalStateException full) {
            states.set(place, FREE);
            throw full;
        }
    }

    private boolean isEmpty() {
        for (int place = 0; place < places; place++) {
            if (tokens.get(place) != null) {
                return false;
            }
        }
        return true;
    }

    /** Puts into limbo what is in the bags of tokens that nobody has borrowed. */
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
