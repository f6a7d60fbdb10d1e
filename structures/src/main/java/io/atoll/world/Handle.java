package io.atoll.world;

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
 * What a structure works on, found on first use. So a structure can be held before the world is whole; once it has been used, that costs a null
 * check. It is found anew when this process has joined its world again, see {@link Participant#end}.
 *
 * @param <T> has nothing but final fields
 */
public final class Handle<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Handle.class);

    /** Of what is no structure, and of operations that race with the first one. */
    private static final long[] UNCOUNTED = new OperationCounter("").cells();

    private final Supplier<T> opening; // keeps what it finds

    // Plain: final fields let a reader that races see all of it or null. Threads that find null at once all open it, none waits for another's
    // time to end, and what they find is the same, unless a segment is lost.
    private @Nullable T opened;
    private long[] cells = UNCOUNTED; // of its operations; set once, before what was found; plain likewise
    // What was found before the last loss, until it is found anew. Set by a loss, by an attempt in the place of what it has read, and to null.
    private final AtomicReference<@Nullable Former<T>> former = new AtomicReference<>();
    private final boolean usesFormer;

    /** How often what is used meanwhile is tried to be found anew: an attempt asks each rank. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Until then one thread tries, if it has not said how it went. */
    private static final long LONGEST_ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * @param dueNanos when it is tried again
     * @param reason why the attempt before had failed; empty before the first
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

    /** @param opening finds it; a failure is the user's, and the next use tries again */
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
     * What stays the same, whichever ranks lose their segments: {@link OnLoss#FAIL}.
     *
     * @param structure its name, under which its operations are counted
     */
    public static <T> Handle<T> of(String structure, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return of(structure, OnLoss.FAIL, participant, opening);
    }

    /**
     * What is also found anew whenever a rank has lost its segment, if it begins empty there: {@link OnLoss#EMPTY}. An
     * operation that is under way at that moment may fail with a {@link SegmentLostException}. So may one that follows,
     * as long as a rank is away that is needed to find it anew: until then what was found before is used, which reaches
     * all but what is lost.
     */
    public static <T> Handle<T> of(String structure, OnLoss onLoss, Supplier<Participant> participant,
            Function<Participant, T> opening) {
        return new Handle<>(structure, onLoss, participant, opening);
    }

    /** What has parts at all ranks, of which those that are lost are made anew, whatever becomes of what users put in. */
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
                return openFor(structure, participant, onLoss, finding); // another thread tries, or has
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
            // Not where this process has joined its world again meanwhile, as another life: that has nothing of the one before.
            if (known == null || !former.compareAndSet(known, known.failed(String.valueOf(notNow.getMessage())))) {
                throw notNow;
            }
            report(known, notNow);
            return known.value();
        }
        former.set(null);
        opened = found;
        // (1) between what is found and the look whether it is still what there is: pairs with (2) in Participant.
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

    /** The next use finds it anew, since a rank has lost its segment. */
    void renew() {
        T known = opened;
        if (usesFormer && known != null) {
            former.set(new Former<>(known, System.nanoTime(), ""));
        }
        opened = null;
    }

    /** The next use finds it anew, and what was found before is of no use. */
    void forget() {
        opened = null;
        former.set(null);
    }

    /** What it is, for who looks at it. */
    public T opened() {
        T known = opened;
        return known != null ? known : opening.get();
    }

    /** What it is, for an operation, which is counted. */
    public T use() {
        return use(1);
    }

    /** As {@link #use()}, for so many operations. */
    public T use(long count) {
        T known = opened;
        if (known == null) {
            known = opening.get();
        }
        OperationCounter.add(cells, count);
        return known;
    }

    /**
     * Counts so many more of an operation that has {@linkplain #use() begun}, and of which it is known only later how
     * many
     * it is.
     */
    public void count(long more) {
        if (more > 0) {
            OperationCounter.add(cells, more);
        }
    }
}
