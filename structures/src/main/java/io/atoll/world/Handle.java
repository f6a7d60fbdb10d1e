package io.atoll.world;

import io.atoll.failure.CodecCall;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.SegmentLostException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a structure on first use and keeps the result. So a program can hold a structure before the world is whole;
 * later uses cost a null check. When this process has joined its world again, the structure is opened anew, see
 * {@link Participant#end}.
 *
 * @param <T> an object that has only final fields
 */
public final class Handle<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Handle.class);

    /** Cells for objects that are no structure, and for operations that race with the first one. */
    private static final long[] UNCOUNTED = new OperationCounter("").cells();

    private final Supplier<T> opening; // also keeps what it finds

    // Plain: final fields let a racing reader see all of it, or null. Threads that find null at the same time all open
    // it, and none waits for another's timeout. All find the same, unless a segment is lost.
    private @Nullable T opened;
    private long[] cells = UNCOUNTED; // of its operations; set once, before opened; plain for the same reason
    // What was found before the last loss, until it is found anew. A loss sets it; an attempt replaces what it has read
    // here, or sets null.
    private final AtomicReference<@Nullable Former<T>> former = new AtomicReference<>();
    private final boolean usesFormer;

    /** The pause between attempts to open it anew while the former result is used: an attempt asks each rank. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long one thread tries alone, if it does not report how the attempt went. */
    private static final long LONGEST_ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * @param dueNanos when the next attempt is due
     * @param reason why the last attempt has failed; empty before the first one
     */
    private record Former<T>(T value, long dueNanos, String reason) {

        private boolean isDue() {
            return System.nanoTime() - dueNanos >= 0;
        }

        private Former<T> inTrial() {
            return new Former<>(value, System.nanoTime() + LONGEST_ATTEMPT_NANOS, reason);
        }

        private Former<T> failed(String whyNot) {
            return new Former<>(value, System.nanoTime() + RETRY_NANOS, whyNot);
        }
    }

    /** @param opening finds it; its failure goes to the caller, and the next use tries again */
    public Handle(Supplier<T> opening) {
        this.usesFormer = false;
        this.opening = () -> {
            T found = opening.get();
            opened = found;
            return found;
        };
    }

    private Handle(String structure, OnLoss onLoss, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        this.usesFormer = onLoss == OnLoss.EMPTY;
        this.opening = () -> openFor(structure, participant, onLoss, opening);
    }

    /**
     * Returns a handle on something that stays the same whichever ranks lose their segments: {@link OnLoss#FAIL}.
     *
     * @param structure its name, under which its operations are counted
     */
    public static <T> Handle<T> of(String structure, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return of(structure, OnLoss.FAIL, participant, opening);
    }

    /**
     * Returns a handle that opens the structure anew whenever a rank has lost its segment. It does so if the structure
     * begins empty there: {@link OnLoss#EMPTY}. An operation that is under way at that moment may fail with a {@link
     * SegmentLostException}. So may a later operation, as long as a rank is away that is needed to open it anew. Until
     * then the former result is used, which reaches everything but what is lost.
     */
    public static <T> Handle<T> of(String structure, OnLoss onLoss, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return new Handle<>(structure, onLoss, participant, opening);
    }

    /**
     * Returns a handle on a structure that has parts at all ranks. Lost parts are made anew, whatever becomes of the
     * data in them.
     */
    public static <T> Handle<T> ofReplacedParts(String structure, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return of(structure, OnLoss.EMPTY, participant, opening);
    }

    private T openFor(String structure, Supplier<Participant> participant, OnLoss onLoss,
            Function<Participant, T> finding) {
        Former<T> known = former.get();
        if (known != null) {
            if (!known.isDue()) {
                return known.value();
            }
            Former<T> inTrial = known.inTrial();
            if (!former.compareAndSet(known, inTrial)) {
                return openFor(structure, participant, onLoss, finding); // another thread tries, or has tried
            }
            known = inTrial;
        }
        Participant self = participant.get();
        cells = self.operations().counter(structure).cells();
        self.opens(this, onLoss);
        T found;
        try {
            found = finding.apply(self);
        } catch (SegmentLostException lost) {
            throw lost;
        } catch (RankUnreachableException | FabricTimeoutException | SegmentFullException notNow) {
            // Fails if this process has joined its world again meanwhile: its new life has nothing of the one before.
            if (known == null || !former.compareAndSet(known, known.failed(String.valueOf(notNow.getMessage())))) {
                throw notNow;
            }
            report(known, notNow);
            return known.value();
        }
        former.set(null);
        opened = found;
        // (1) between the result and the check that it is still the present one: pairs with (2) in Participant.
        VarHandle.fullFence();
        if (self.isFormer(OnLoss.FAIL)) {
            forget();
        } else if (self.isFormer(onLoss)) {
            renew();
        }
        return found;
    }

    private static void report(Former<?> known, FabricException notNow) {
        if (!known.reason().equals(notNow.getMessage())) {
            LOG.info("what a structure has lost is not made anew yet, the rest is used: reason={}",
                    notNow.getMessage());
        }
    }

    /** The next use opens it anew, since a rank has lost its segment. */
    void renew() {
        T known = opened;
        if (usesFormer && known != null) {
            former.set(new Former<>(known, System.nanoTime(), ""));
        }
        opened = null;
    }

    /** The next use opens it anew; the former result is useless. */
    void forget() {
        opened = null;
        former.set(null);
    }

    /** Returns the structure to look at it; no operation is counted. */
    public T opened() {
        T known = opened;
        return known != null ? known : opening.get();
    }

    /**
     * Returns the structure for an operation, which is counted.
     *
     * @throws IllegalStateException if this thread is in the middle of a {@linkplain CodecCall call of a codec}
     */
    public T use() {
        return use(1);
    }

    /** As {@link #use()}, for that many operations. */
    public T use(long count) {
        CodecCall.refuseWithin();
        T known = opened;
        if (known == null) {
            known = opening.get();
        }
        OperationCounter.add(cells, count);
        return known;
    }

    /** Counts more of an operation that has {@linkplain #use() begun}, once the caller knows how many there are. */
    public void count(long more) {
        if (more > 0) {
            OperationCounter.add(cells, more);
        }
    }
}
