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
import io.atoll.history.Notes;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.ControlPath;
import io.atoll.world.Membership;
import io.atoll.world.Operations;
import io.atoll.world.StructureListener;
import java.nio.channels.ClosedByInterruptException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** How a process takes part in a world. */
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
    private ControlPath controlPath = ControlPath.UNOBSERVED;
    private LongSupplier keySeeds = new SecureRandom()::nextLong;
    private boolean rejoin = true;
    private boolean history;

    WorldBuilder(String name) {
        this.name = name;
    }

    /** How many ranks the world is founded with; 1 unless told. */
    public WorldBuilder size(int ranks) {
        this.size = ranks;
        return this;
    }

    /**
     * How many ranks may ever be in the world, 4,096 at most, the same at every rank; 64, or as many as it is founded with,
     * unless told. What has an entry a rank in a segment has so many.
     */
    public WorldBuilder maxSize(int ranks) {
        this.maxSize = OptionalInt.of(ranks);
        return this;
    }

    /**
     * Which rank this process is, from 0; the first that is free on this host unless told. Must be told where the
     * membership finds processes of other hosts.
     */
    public WorldBuilder rank(int rank) {
        this.rank = OptionalInt.of(rank);
        return this;
    }

    /** How ranks reach each other's memory; shared memory of one host unless told. */
    public WorldBuilder fabric(FabricType fabric) {
        this.fabric = fabric;
        return this;
    }

    /** Bytes of memory that this rank offers, a multiple of 4096, the same at every rank; 64 MiB unless told. */
    public WorldBuilder segment(long bytes) {
        this.segmentBytes = bytes;
        return this;
    }

    /** Who finds the other ranks; the fabric itself, on one host or by a list of addresses, unless told. */
    public WorldBuilder membership(Membership membership) {
        this.membership = membership;
        return this;
    }

    /** How long the first use of a structure waits for missing ranks; 30 s unless told. */
    public WorldBuilder joinTimeout(Duration timeout) {
        this.joinTimeout = timeout;
        return this;
    }

    /** How long an operation waits for another rank that is in the middle of one, lives, and does not go on; 10 s unless told. */
    public WorldBuilder operationTimeout(Duration timeout) {
        this.operationTimeout = timeout;
        return this;
    }

    /** Where the verbs of this process that cross the fabric are counted; nowhere unless told. */
    public WorldBuilder verbCounts(VerbCounts counts) {
        this.verbCounts = Optional.of(counts);
        return this;
    }

    /** Runs what this process does rarely; of several the last is the outermost. */
    public WorldBuilder controlPath(ControlPath path) {
        this.controlPath = path.around(controlPath);
        return this;
    }

    /**
     * The seed of keys' hashes, if this process is the first to need one; random unless told. For what must happen
     * the same way each time: a stranger who knows it can choose keys that all meet in one place.
     */
    public WorldBuilder keySeed(long seed) {
        this.keySeeds = () -> seed;
        return this;
    }

    /**
     * Sets whether this process joins again by itself, as a newcomer, when the others have removed it from the world
     * since they did not hear it; true unless told. Else it takes part no more then, as {@link World#refusal} says. Only
     * where ranks may be on several hosts is any removed while it lives.
     */
    public WorldBuilder rejoin(boolean byItself) {
        this.rejoin = byItself;
        return this;
    }

    /**
     * Sets whether this rank keeps a history in its own segment, of which it takes some 250 KB: its last ten minutes, to
     * be read by any rank, see {@link Inspection#history}. Not unless told. Where the segment has no room there is none,
     * which the log tells. Cost: a thread, and less than a millisecond of a processor each second.
     */
    public WorldBuilder history(boolean kept) {
        this.history = kept;
        return this;
    }

    /** How the epoch manager works; {@link EpochSettings#DEFAULT} unless told. */
    public WorldBuilder epochs(EpochSettings settings) {
        this.epochs = settings;
        return this;
    }

    /** How values are stored of which only the type is told; {@link TypeCodecs#ATOLLS} unless told. */
    public WorldBuilder codecs(TypeCodecs ofTypes) {
        this.codecs = ofTypes;
        return this;
    }

    /** How collectives work; {@link CollectiveSettings#DEFAULT} unless told. */
    public WorldBuilder collectives(CollectiveSettings settings) {
        this.collectives = settings;
        return this;
    }

    /**
     * Takes the rank, makes its segment, joins the membership, and does not wait for the others. That takes as long as filling the segment, about a second for
     * each GiB, and a second more at most if another process still holds the rank; and what the membership takes: nothing on one host, about a second with
     * Hazelcast, where it is bounded, too. An interruption ends it.
     *
     * @throws io.atoll.failure.JoinRefusedException when this process may not take part as it is configured
     * @throws io.atoll.failure.LayoutMismatchException when another world's segment is in the way
     * @throws IllegalStateException when the thread is interrupted; this process has left again then
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
            Optional<Notes> notes = history ? Optional.of(new Notes()) : Optional.empty();
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

    /** Each host's first process would take rank 0; and what leads each host to itself, leads nobody here. */
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

    /** The files of a segment are written interruptibly: an interruption closes them, and so is no fault of the folder. */
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
     * @throws io.atoll.failure.MissingRanksException with those that did not come; this process has left again then
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

    // --- what the world is made of ---

    /** As it is told by now. */
    private LifeSettings lifeSettings(WorldIdentity identity, Optional<Notes> notes) {
        ControlPath path = notes.map(each -> each.repairs().around(controlPath)).orElse(controlPath);
        Optional<VerbCounts> counts = verbCounts;
        return new LifeSettings(identity, fabric, segmentBytes, joinTimeout, operationTimeout, path,
                notes.map(Notes::structures).orElse(StructureListener.NONE), keySeeds,
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
