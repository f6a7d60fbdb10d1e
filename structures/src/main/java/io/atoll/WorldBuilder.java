package io.atoll;

import io.atoll.codec.TypeCodecs;
import io.atoll.collective.CollectiveSettings;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.trace.MeteredFabric;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.history.PendingEvents;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Membership;
import io.atoll.world.Operations;
import io.atoll.world.StepObserver;
import io.atoll.world.StructureListener;
import java.nio.channels.ClosedByInterruptException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** Describes how a process takes part in a world. */
public final class WorldBuilder {

    private final String name;
    private int size = 1;
    private OptionalInt maxSize = OptionalInt.empty();
    private OptionalInt rank = OptionalInt.empty();
    private FabricType fabric = Fabrics.sharedMemory();
    private long segmentBytes = 64 << 20;
    private Membership membership = Membership.ofOneHost();
    private Duration joinTimeout = Duration.ofSeconds(30);
    private Duration operationTimeout = Duration.ofSeconds(10);
    private EpochSettings epochs = EpochSettings.DEFAULT;
    private CollectiveSettings collectives = CollectiveSettings.DEFAULT;
    private TypeCodecs codecs = TypeCodecs.ATOLLS;
    private Optional<VerbCounts> verbCounts = Optional.empty();
    private StepObserver stepObserver = StepObserver.UNOBSERVED;
    private LongSupplier keySeeds = new SecureRandom()::nextLong;
    private boolean rejoin = true;
    private boolean history;

    WorldBuilder(String name) {
        this.name = name;
    }

    /** Sets how many ranks the world is founded with. Defaults to 1. */
    public WorldBuilder size(int ranks) {
        this.size = ranks;
        return this;
    }

    /**
     * Sets how many ranks may ever be in the world: at most 4,096, and the same at every rank. Defaults to 64, or to
     * the size at the founding if that is more. Tables with an entry for each rank have this many entries in a segment.
     */
    public WorldBuilder maxSize(int ranks) {
        this.maxSize = OptionalInt.of(ranks);
        return this;
    }

    /**
     * Sets which rank this process is, from 0. Defaults to the first rank that is free on this host. The caller must
     * set it if the membership finds processes of other hosts.
     */
    public WorldBuilder rank(int rank) {
        this.rank = OptionalInt.of(rank);
        return this;
    }

    /** Sets how ranks reach each other's memory. Defaults to shared memory of one host. */
    public WorldBuilder fabric(FabricType fabric) {
        this.fabric = fabric;
        return this;
    }

    /**
     * Sets the bytes of memory that this rank offers: a multiple of 4096, and the same at every rank. Defaults to 64
     * MiB.
     */
    public WorldBuilder segment(long bytes) {
        this.segmentBytes = bytes;
        return this;
    }

    /**
     * Sets the membership, which finds the other ranks. By default the fabric itself finds them, on one host or by a
     * list of addresses.
     */
    public WorldBuilder membership(Membership membership) {
        this.membership = membership;
        return this;
    }

    /** Sets how long the first use of a structure waits for missing ranks. Defaults to 30 s. */
    public WorldBuilder joinTimeout(Duration timeout) {
        this.joinTimeout = timeout;
        return this;
    }

    /**
     * Sets how long an operation waits for a living rank that stands still in the middle of an operation. Defaults to
     * 10 s.
     */
    public WorldBuilder operationTimeout(Duration timeout) {
        this.operationTimeout = timeout;
        return this;
    }

    /** Sets where the verbs of this process that cross the fabric are counted. By default they are not counted. */
    public WorldBuilder verbCounts(VerbCounts counts) {
        this.verbCounts = Optional.of(counts);
        return this;
    }

    /** Adds an observer of the rare steps of this process. The last observer that was added is the outermost. */
    public WorldBuilder stepObserver(StepObserver observer) {
        this.stepObserver = observer.around(stepObserver);
        return this;
    }

    /**
     * Sets the seed of keys' hashes, which is used if this process is the first to need one. Defaults to a random seed.
     * A fixed seed is for runs that must happen the same way each time. A stranger who knows the seed can choose keys
     * that all meet in one place.
     */
    public WorldBuilder keySeed(long seed) {
        this.keySeeds = () -> seed;
        return this;
    }

    /**
     * Sets whether this process joins again by itself after the others have removed it from the world. They remove a
     * process that they do not hear, and it joins again as a newcomer. Defaults to true. With false it takes part no
     * more then, as {@link World#refusal} says. A living process is removed only where ranks may be on several hosts.
     */
    public WorldBuilder rejoin(boolean byItself) {
        this.rejoin = byItself;
        return this;
    }

    /**
     * Sets whether this rank keeps a history of its last ten minutes, which any rank can read; see
     * {@link Inspection#history}. The history takes some 250 KB of its own segment. Defaults to false. If the segment
     * has no room, there is no history, and the log says so. Cost: a thread, and less than a millisecond of a processor
     * each second.
     */
    public WorldBuilder history(boolean kept) {
        this.history = kept;
        return this;
    }

    /** Sets how the epoch manager works. Defaults to {@link EpochSettings#DEFAULT}. */
    public WorldBuilder epochs(EpochSettings settings) {
        this.epochs = settings;
        return this;
    }

    /** Sets how values are stored if only their type is given. Defaults to {@link TypeCodecs#ATOLLS}. */
    public WorldBuilder codecs(TypeCodecs ofTypes) {
        this.codecs = ofTypes;
        return this;
    }

    /** Sets how collectives work. Defaults to {@link CollectiveSettings#DEFAULT}. */
    public WorldBuilder collectives(CollectiveSettings settings) {
        this.collectives = settings;
        return this;
    }

    /**
     * Takes the rank, makes its segment, joins the membership, and does not wait for the others. Filling the segment
     * takes about a second for each GiB. If another process still holds the rank, it takes at most a second more. The
     * membership adds nothing on one host, and about a second with Hazelcast, where its time is bounded too. An
     * interruption ends this call.
     *
     * @throws io.atoll.failure.JoinRefusedException if this process may not take part as it is configured
     * @throws io.atoll.failure.LayoutMismatchException if another world's segment is in the way
     * @throws IllegalStateException if the thread is interrupted; this process has left again then
     */
    public World open() {
        try {
            return enter();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while joining: world=" + name, interrupted);
        }
    }

    private World enter() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before joining");
        }
        WorldIdentity identity = maxSize.isPresent()
                ? new WorldIdentity(name, size, maxSize.getAsInt())
                : new WorldIdentity(name, size);
        refuseUnlessOtherHostsFindIt(identity);
        Attachment attachment = attach(identity);
        World world = null;
        try {
            Optional<PendingEvents> notes = history ? Optional.of(new PendingEvents()) : Optional.empty();
            world = new World(this, lifeSettings(identity, notes), attachment, notes);
            world.enter();
            return world;
        } catch (RuntimeException | Error | InterruptedException refused) {
            if (world == null) {
                closeAfter(refused, membership);
            }
            closeAfter(refused, world == null ? attachment : world);
            throw refused;
        }
    }

    /**
     * Refuses two configurations that other hosts could not use. Without a given rank, each host's first process would
     * take rank 0. An address that every host understands as itself leads no other host to this process.
     */
    private void refuseUnlessOtherHostsFindIt(WorldIdentity identity) {
        if (identity.size() == 1 || !membership.reachesOtherHosts()) {
            return;
        }
        if (rank.isEmpty()) {
            throw new JoinRefusedException(Reason.RANK_UNKNOWN,
                    "the membership finds processes of other hosts, which cannot see what ranks are taken here, give"
                            + " each process its rank: world=" + name + " rank=none size=" + size);
        }
        if (fabric.isReachedFromThisHostOnly()) {
            throw new JoinRefusedException(Reason.UNREACHABLE,
                    "the membership finds processes of other hosts, which cannot reach what listens at loopback only,"
                            + " listen where they do: world=" + name + " rank=" + rank.getAsInt() + " fabric="
                            + fabric.name());
        }
    }

    /**
     * An interruption closes the files of a segment, which are written interruptibly. So it is reported as an
     * interruption, and not as a fault of the folder.
     */
    private Attachment attach(WorldIdentity identity) throws InterruptedException {
        try {
            return fabric.attach(identity, rank, segmentBytes);
        } catch (JoinRefusedException refused) {
            if (refused.getCause() instanceof ClosedByInterruptException && Thread.interrupted()) {
                throw (InterruptedException) new InterruptedException("interrupted while the segment was made")
                        .initCause(refused);
            }
            throw refused;
        }
    }

    /**
     * As {@link #open()}, and waits for the others.
     *
     * @throws io.atoll.failure.MissingRanksException with the ranks that did not come; this process has left again then
     * @throws InterruptedException and this process has left again
     */
    public World join(Duration timeout) throws InterruptedException {
        World world = enter();
        try {
            world.awaitOthers(timeout);
            return world;
        } catch (RuntimeException | Error | InterruptedException failure) {
            closeAfter(failure, world);
            throw failure;
        }
    }

    private static void closeAfter(Throwable failure, AutoCloseable opened) {
        try {
            opened.close();
        } catch (Exception second) {
            failure.addSuppressed(second);
        }
    }

    // --- the parts of the world ---

    /** The settings as they are now: later calls of this builder do not change them. */
    private LifeSettings lifeSettings(WorldIdentity identity, Optional<PendingEvents> notes) {
        StepObserver path = notes.map(each -> each.repairs().around(stepObserver)).orElse(stepObserver);
        Optional<VerbCounts> counts = verbCounts;
        return new LifeSettings(identity, fabric, segmentBytes, joinTimeout, operationTimeout, path,
                notes.map(PendingEvents::structures).orElse(StructureListener.NONE), keySeeds,
                reached -> endpoint(reached, counts), new Operations(), rejoin);
    }

    private static Endpoint endpoint(Fabric reached, Optional<VerbCounts> verbCounts) {
        return new Endpoint(verbCounts.map(counts -> MeteredFabric.around(reached, counts)).orElse(reached));
    }

    Membership membership() {
        return membership;
    }

    Optional<VerbCounts> verbCounts() {
        return verbCounts;
    }

    EpochSettings epochs() {
        return epochs;
    }

    TypeCodecs codecs() {
        return codecs;
    }

    CollectiveSettings collectives() {
        return collectives;
    }
}
