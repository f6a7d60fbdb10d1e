package io.atoll.lock.protocol;

import io.atoll.failure.FabricException;
import io.atoll.world.Participant;
import org.jspecify.annotations.Nullable;

/** The locks of a table, as one process acquires and releases them. Any thread may. */
public final class LockQueues implements AutoCloseable {

    /** Of each lock. */
    public static final long LINE_BYTES = LockLine.SIZE;

    /** The largest budget of a cohort. */
    public static final int MAXIMUM_BUDGET = Grant.MAXIMUM_BUDGET;

    /** The most descriptors of a rank. */
    public static final int MAXIMUM_DESCRIPTORS = 1 << 16;

    private final QueueLock lock;
    private final Keeper keeper;

    private LockQueues(QueueLock lock, Keeper keeper) {
        this.lock = lock;
        this.keeper = keeper;
    }

    /** Bytes that the descriptors of a rank take. */
    public static long descriptorBytes(int count) {
        return Descriptors.bytes(count);
    }

    /**
     * A queue for the owner's threads, and one for all others (ALock).
     *
     * @param descriptors where those of each rank begin
     * @param count of each rank
     */
    public static LockQueues asymmetric(Participant self, long[] descriptors, int count, int localBudget,
            int remoteBudget) {
        var table = new Descriptors(self, descriptors, count);
        return of(self, table, new RemoteCohort(table, remoteBudget), new LocalCohort(table, localBudget));
    }

    /** One queue for all, the owner too goes through the fabric (Mellor-Crummey and Scott, 1991). */
    public static LockQueues symmetric(Participant self, long[] descriptors, int count) {
        var table = new Descriptors(self, descriptors, count);
        return of(self, table, new OnlyCohort(table), null);
    }

    private static LockQueues of(Participant self, Descriptors table, RemoteCohort remote,
            @Nullable LocalCohort local) {
        var keeper = new Keeper("atoll-locks-" + self.rank(), self.endpoint().clock(), true);
        return new LockQueues(new QueueLock(table, remote, local, keeper), keeper);
    }

    /** Frees what a former incarnation of this rank held of a lock of its own. Before anybody uses it. */
    public void restart(long line) {
        lock.restart(line);
    }

    /**
     * Returns the request that has the lock, or null if the patience was over before.
     *
     * @throws IllegalStateException when this rank has no descriptor left
     * @throws FabricException when the owner is not there
     */
    public @Nullable Request acquire(int owner, long line, Patience patience) {
        Request request = lock.request(owner, line);
        return lock.acquire(request, patience) ? request : null;
    }

    /** To be called once for each acquisition. What cannot be done at once is done as soon as it can. */
    public void release(Request request) {
        lock.release(request);
    }

    /** What has been begun and is not finished by then stays: this rank leaves its world. */
    @Override
    public void close() {
        keeper.close();
    }
}
