package io.atoll.world;

import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.world.directory.OnLoss;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
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
    private @Nullable Former<T> former; // what was found before the last loss, until it is found anew
    private final boolean usesFormer;

    /** How often what is used meanwhile is tried to be found anew: an attempt asks each rank. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** @param triedNanos when it could not be found anew, since a rank was away */
    private record Former<T>(T value, long triedNanos) {

        boolean isTriedLately() {
            return System.nanoTime() - triedNanos < RETRY_NANOS;
        }
    }

    /** @param opening finds it; a failure is the user's, and the next use tries again */
    public Handle(Supplier<T> opening) {
        this.usesFormer = false;
        this.opening = () -> {
            T found = opening.get();
            opened = found;
            return found;
        };
    }

    private Handle(OnLoss onLoss, Supplier<Participant> participant, Function<Participant, T> opening) {
        this.usesFormer = onLoss == OnLoss.EMPTY;
        this.opening = () -> openFor(participant, onLoss, opening);
    }

    /** What stays the same, whichever ranks lose their segments: {@link OnLoss#FAIL}. */
    public static <T> Handle<T> of(Supplier<Participant> participant, Function<Participant, T> opening) {
        return of(OnLoss.FAIL, participant, opening);
    }

    /**
     * What is also found anew whenever a rank has lost its segment, if it begins empty there: {@link OnLoss#EMPTY}. An
     * operation that is under way at that moment may fail with a {@link SegmentLostException}. So may one that follows,
     * as long as a rank is away that is needed to find it anew: until then what was found before is used, which reaches
     * all but what is lost.
     */
    public static <T> Handle<T> of(OnLoss onLoss, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return new Handle<>(onLoss, participant, opening);
    }

    /** What has parts at all ranks, of which those that are lost are made anew, whatever becomes of what users put in. */
    public static <T> Handle<T> ofReplacedParts(Supplier<Participant> participant, Function<Participant, T> opening) {
        return of(OnLoss.EMPTY, participant, opening);
    }

    private T openFor(Supplier<Participant> participant, OnLoss onLoss, Function<Participant, T> finding) {
        Former<T> known = former;
        if (known != null && known.isTriedLately()) {
            return known.value();
        }
        Participant self = participant.get();
        self.opens(this, onLoss);
        T found;
        try {
            found = finding.apply(self);
        } catch (SegmentLostException lost) {
            throw lost;
        } catch (RankUnreachableException away) {
            if (known == null) {
                throw away;
            }
            former = new Former<>(known.value(), System.nanoTime());
            VarHandle.fullFence(); // as at (1)
            if (self.isFormer(OnLoss.FAIL)) {
                former = null;
            }
            return known.value();
        }
        former = null;
        opened = found;
        // (1) between what is found and the look whether it is still what there is: pairs with (2) in Participant.
        VarHandle.fullFence();
        if (self.isFormer(onLoss)) {
            renew();
        }
        return found;
    }

    /** The next use finds it anew, since a rank has lost its segment. */
    void renew() {
        T known = opened;
        if (usesFormer && known != null) {
            former = new Former<>(known, System.nanoTime() - RETRY_NANOS);
        }
        opened = null;
    }

    /** The next use finds it anew, and what was found before is of no use. */
    void forget() {
        opened = null;
        former = null;
    }

    public T opened() {
        T known = opened;
        return known != null ? known : opening.get();
    }
}
