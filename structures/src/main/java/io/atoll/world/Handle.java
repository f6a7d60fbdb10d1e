package io.atoll.world;

import io.atoll.world.directory.OnLoss;
import java.lang.invoke.VarHandle;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a structure works on, found on first use. So a structure can be held before the world is whole; once it has been used, that costs a null
 * check. It is found anew when this process has joined its world again, see {@link Participant#end}.
 *
 * @param <T> has nothing but final fields
 */
public final class Handle<T> {

    private final Supplier<T> opening; // keeps what it finds

    // Plain: final fields let a reader that races see all of it or null. Threads that find null at once all open it, none waits for another's
    // time to end, and what they find is the same, unless a segment is lost.
    private @Nullable T opened;

    /** @param opening finds it; a failure is the user's, and the next use tries again */
    public Handle(Supplier<T> opening) {
        this.opening = () -> {
            T found = opening.get();
            opened = found;
            return found;
        };
    }

    private Handle(OnLoss onLoss, Supplier<Participant> participant, Function<Participant, T> opening) {
        this.opening = () -> openFor(participant.get(), onLoss, opening);
    }

    /** What stays the same, whichever ranks lose their segments: {@link OnLoss#FAIL}. */
    public static <T> Handle<T> of(Supplier<Participant> participant, Function<Participant, T> opening) {
        return of(OnLoss.FAIL, participant, opening);
    }

    /**
     * What is also found anew whenever a rank has lost its segment, if it begins empty there: {@link OnLoss#EMPTY}. An
     * operation that is under way at that moment may fail with a {@link io.atoll.failure.SegmentLostException}.
     */
    public static <T> Handle<T> of(OnLoss onLoss, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return new Handle<>(onLoss, participant, opening);
    }

    private T openFor(Participant self, OnLoss onLoss, Function<Participant, T> finding) {
        self.opens(this, onLoss);
        T found = finding.apply(self);
        opened = found;
        // (1) between what is found and the look whether it is still what there is: pairs with (2) in Participant.
        VarHandle.fullFence();
        if (self.isFormer(onLoss)) {
            forget();
        }
        return found;
    }

    /** The next use finds it anew. */
    void forget() {
        opened = null;
    }

    public T opened() {
        T known = opened;
        return known != null ? known : opening.get();
    }
}
