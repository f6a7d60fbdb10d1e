package io.atoll;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.array.Pointer;
import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.codec.TypeCodecs;
import io.atoll.collective.Collectives;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.JoinRefusedException;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.history.Event;
import io.atoll.history.Notes;
import io.atoll.history.Recorder;
import io.atoll.linked.LinkedBuilder;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.WorldIdentity;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.view.ViewStatus;
import io.atoll.view.Views;
import io.atoll.world.ControlPath;
import io.atoll.world.Membership;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.Peers;
import io.atoll.world.Rejoining;
import io.atoll.world.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A world of ranks, as the process that is one of them sees it. Offers this process's segment to the others and reaches theirs.
 *
 * <pre>{@code
 * try (World world = World.named("demo").size(3).rank(0).fabric(Fabrics.sharedMemory()).segment(256 << 20).join(ofSeconds(10))) {
 *     LongLongMap hits = world.longMap("hits").capacity(1 << 20).open();
 *     hits.increment(7, 1);
 *     world.barrier();
 * }
 * }</pre>
 *
 * <p>Structures can be used once every rank has joined. Their operations fail with a {@link io.atoll.failure.RankUnreachableException} while a rank they
 * need is not there, and work again when it is back. Any thread may use a world.
 */
public final class World implements AutoCloseable {

    private final WorldIdentity identity;
    private final String fabric;
    private final BackgroundThreads background;
    private final Lives lives;
    private final int rank;
    private final Duration joinTimeout;
    private final ControlPath controlPath;
    private final EpochManager epochs;
    private final Collectives collectives;
    private final TypeCodecs codecs;
    private final @Nullable Recorder recorder; // null where no history is kept
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean wasWhole;

    /** Makes the process known to the others; does not wait for them. */
    World(WorldBuilder builder, LifeSettings settings, Attachment attachment, Optional<Notes> notes)
            throws InterruptedException {
        this.identity = settings.world();
        this.fabric = settings.fabric().name();
        this.rank = attachment.fabric().rank();
        this.joinTimeout = settings.joinTimeout();
        this.controlPath = settings.controlPath();
        this.background = new BackgroundThreads();
        this.epochs = new EpochManager(this::participant, builder.epochs()).watchPins();
        this.lives = new Lives(settings, attachment, builder.membership(), background, epochs::beginAnew);
        this.codecs = builder.codecs();
        this.collectives = new Collectives(identity.name(), this::participant, builder.collectives(), background);
        this.recorder = notes.map(each -> recorder(builder, each)).orElse(null);
    }

    private Recorder recorder(WorldBuilder builder, Notes notes) {
        lives.whenViewChanges(() -> lives.present()
                .views()
                .map(Views::status)
                .map(ViewStatus::view)
                .ifPresent(view -> notes.add(Event.Kind.VIEW, Event.NO_RANK,
                        "view " + view.number() + " of " + view.members().size() + " ranks")));
        return new Recorder(name(), () -> lives.present().participant(), this::peers, builder.verbCounts(), notes,
                background);
    }

    /** Begins to look for the others, once what it had left here before is repaired; does not wait for them. */
    void enter() {
        lives.enter();
        Recorder written = recorder;
        if (written != null) {
            written.start();
        }
    }

    void awaitOthers(Duration timeout) throws InterruptedException {
        peers().awaitAll(timeout);
        wasWhole = true;
    }

    /** Frees objects when nobody can be using them any more. Can be held before the world is whole; its first use waits. */
    public EpochManager epochs() {
        return epochs;
    }

    /** What members of teams do together. Can be held before the world is whole. */
    public Collectives collectives() {
        return collectives;
    }

    /** Begins to describe a world; all its processes must use the same name. */
    public static WorldBuilder named(String name) {
        return new WorldBuilder(name);
    }

    public String name() {
        return identity.name();
    }

    public int rank() {
        return rank;
    }

    public int size() {
        return identity.size();
    }

    /** How often this rank has been started, or has joined again, from 1. */
    public int incarnation() {
        return lives.present().incarnation();
    }

    /** How ranks reach each other's memory, as configuration names it, such as {@code shared-memory}. */
    public String fabric() {
        return fabric;
    }

    /**
     * The other ranks as this one sees them. After it has {@linkplain #rejoining joined again} it sees them by another
     * object.
     */
    public Peers peers() {
        return lives.present().peers();
    }

    /**
     * Why this process takes part no more, if it has had to stop after it had joined: the membership has {@linkplain Membership#refusal() refused} it later, or
     * its place on its host is gone. Every operation that needs the world fails then, with a {@link io.atoll.failure.FencedException} that bears the
     * reason. That is final; close the world and open it anew. Where a view has removed this rank it joins again by
     * itself, see {@link #rejoining}; nothing is refused then, unless {@link WorldBuilder#rejoin} was told false.
     */
    public Optional<JoinRefusedException> refusal() {
        return lives.refusal();
    }

    /**
     * How this process stands if the others have removed it from the world since they did not hear it: it joins again
     * by itself, as its next {@linkplain #incarnation incarnation}, as soon as it reaches enough of them. Until then
     * every operation that needs the world fails with a {@link io.atoll.failure.FencedException}; so does what was
     * under way. Then structures, locks, {@link #epochs} and {@link #collectives} work again with the next operation.
     * What was bound to the life before fails with a {@code FencedException} for ever: locks that were held, tokens and
     * pins, buffers, {@link Pointer}s and {@link Participant}s.
     */
    public Optional<Rejoining> rejoining() {
        return lives.rejoining();
    }

    /** How often this process has joined again after the others had removed it. */
    public long rejoins() {
        return lives.rejoins();
    }

    /**
     * Calls the listener whenever this process may act by another {@linkplain Inspection#views() view}. It must neither wait
     * nor throw. Never called where all ranks share memory: the kernel knows there who lives.
     */
    public void whenViewChanges(Runnable listener) {
        lives.whenViewChanges(listener);
    }

    /** The threads that work for this world in this process: an application's own may be looked after with them. */
    public BackgroundThreads background() {
        return background;
    }

    /** What threads of this process wait for other ranks for. */
    public List<Waits.Wait> waits() {
        return lives.present().participant().waits().snapshot();
    }

    /**
     * This process's part in the world, for structures of one's own. Waits for the ranks that are missing, as long as the world was told to, but only
     * until all have joined for the first time: later what needs a rank that is gone fails, and nothing else.
     *
     * @throws io.atoll.failure.MissingRanksException with those that did not come
     * @throws io.atoll.failure.FencedException when this process must not take part any more, or has to join again
     * first
     * @throws IllegalStateException when this process has left, or the thread is interrupted while it waits
     */
    public Participant participant() {
        if (wasWhole && !closed.get()) {
            return lives.present().participant();
        }
        return controlPath.run(ControlPath.Step.AWAIT_RANKS, name(), this::awaitRanks);
    }

    private Participant awaitRanks() {
        if (closed.get()) {
            throw new IllegalStateException("this process has left its world: world=" + name() + " rank=" + rank);
        }
        try {
            awaitOthers(joinTimeout);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ranks were missing: missing=" + peers().missing(),
                    interrupted);
        }
        return lives.present().participant();
    }

    /** A map of keys and values that have codecs: primitives' boxes, UUIDs, texts, byte arrays, records of those, and what {@link WorldBuilder#codecs} knows beside. */
    public <K, V> DistributedMap.Builder<K, V> map(String name, Class<K> keys, Class<V> values) {
        return codecs.areFixed(keys) && codecs.areFixed(values)
                ? DistributedMap.builder(name, codecs.fixed(keys), codecs.fixed(values), this::participant, epochs)
                : DistributedMap.builder(name, codecs.keys(keys), codecs.values(values), this::participant, epochs);
    }

    /** A map from long to long with exact increments, without boxing. */
    public LongLongMap.Builder longMap(String name) {
        return LongLongMap.builder(name, this::participant, epochs);
    }

    /** A Bloom filter of texts, or of what has a codec, or a hash of its own. */
    public <T> BloomFilter.Builder<T> filter(String name, Class<T> elements) {
        BloomFilter.Builder<T> filter = BloomFilter.builder(name, elements, this::participant);
        codecs.own(elements).ifPresent(filter::codec);
        return filter;
    }

    /** A Bloom filter of longs, without boxing. */
    public LongBloomFilter.Builder longFilter(String name) {
        return LongBloomFilter.builder(name, this::participant);
    }

    /** A circular queue of elements of fixed size in the segment of one rank. */
    public <T> CircularQueue.Builder<T> queue(String name, Class<T> elements) {
        return CircularQueue.builder(name, codecs.fixed(elements), this::participant);
    }

    /** A circular queue of longs, without boxing. */
    public LongCircularQueue.Builder longQueue(String name) {
        return LongCircularQueue.builder(name, this::participant);
    }

    /** A stack without bounds. */
    public <T> LinkedBuilder<LinkedStack<T>> stack(String name, Class<T> values) {
        return LinkedStack.builder(name, codecs.fixed(values), this::participant, epochs);
    }

    /** A queue without bounds. */
    public <T> LinkedBuilder<LinkedQueue<T>> linkedQueue(String name, Class<T> values) {
        return LinkedQueue.builder(name, codecs.fixed(values), this::participant, epochs);
    }

    /** A queue of elements of fixed size in the segment of one rank, for phases that barriers separate. */
    public <T> FastQueue.Builder<T> fastQueue(String name, Class<T> elements) {
        return FastQueue.builder(name, codecs.fixed(elements), this::participant);
    }

    /** An array of elements of fixed size in the segment of one rank. */
    public <T> Array.Builder<T> array(String name, Class<T> elements) {
        return Array.builder(name, codecs.fixed(elements), this::participant);
    }

    /** An array of longs in the segment of one rank, or over all, without boxing. */
    public LongArray.Builder longArray(String name) {
        return LongArray.builder(name, this::participant);
    }

    /** An array of elements of fixed size over all ranks. */
    public <T> DistributedArray.Builder<T> distributedArray(String name, Class<T> elements) {
        return DistributedArray.builder(name, codecs.fixed(elements), this::participant);
    }

    /**
     * So many new elements in the segment of that rank, with arbitrary contents: a pointer to the first. Others are told its {@link Pointer#address}.
     *
     * @throws io.atoll.failure.SegmentFullException and nothing was allocated
     */
    public <T> Pointer<T> allocate(int rank, Class<T> elements, long count) {
        return Pointer.allocate(participant(), rank, codecs.fixed(elements), count);
    }

    /** The pointer to what another rank has allocated, and told the address of. */
    public <T> Pointer<T> pointer(GlobalPointer address, Class<T> elements) {
        return new Pointer<>(participant(), address, codecs.fixed(elements));
    }

    /** Locks, spread over all ranks. */
    public LockTable.Builder lockTable(String name) {
        return LockTable.builder(name, this::participant);
    }

    /** For those who look on: what there is, as far as ranks are there, without waiting for any. */
    public Inspection inspection() {
        return new Inspection(lives);
    }

    /** The structures that exist in this world. */
    public List<NamedStructure> structures() {
        return participant().directory().structures(rank());
    }

    /**
     * Waits until every rank has called this as often; everything written before, by any rank, is visible to all afterwards. Cost: ceil(log2
     * size) W.
     *
     * <p>An interrupted thread has entered the barrier: calling again waits for the same one. If this rank calls {@link
     * #allReduce} instead, that ends the barrier for those who are in it.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile, or has left what it had called
     * before; the next barrier is one for all again
     */
    public void barrier() throws InterruptedException {
        participant().barrier();
    }

    /**
     * Combines the values of all ranks element by element, in the order of ranks; all have the result in the array. Every rank must call it, with as
     * many values. Cost: a barrier and size - 1 R in one batch for each 64 values.
     *
     * <p>If it fails or is interrupted, the array is as it was. An interruption ends it for all ranks that are in it,
     * with the name of this one. If the operator throws, that is thrown when all ranks have this one's values; the
     * others have their results.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile, or was interrupted; the next
     * reduction is one of all again
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        participant().allReduce(values, operator);
    }

    /** The verbs that this thread posts while it runs the action: what an operation costs. Operations of other threads go on, unrecorded. */
    public synchronized Journal explain(Runnable action) {
        Endpoint endpoint = participant().endpoint();
        Fabric fabric = endpoint.fabric();
        var recording = new RecordingFabric(fabric);
        endpoint.replaceFabric(present -> recording);
        try {
            return recording.record(action);
        } finally {
            // Unless the process has been fenced meanwhile.
            endpoint.replaceFabric(present -> present == recording ? fabric : present);
        }
    }

    /**
     * Leaves the world and gives its memory back; peers find this rank gone. Operations under way in other threads, and later ones, fail with an
     * {@link IllegalStateException}.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            BackgroundThread.all(this::closeRecorder, collectives::close, epochs::close, lives::close);
        }
    }

    private void closeRecorder() {
        Recorder written = recorder;
        if (written != null) {
            written.close();
        }
    }
}
