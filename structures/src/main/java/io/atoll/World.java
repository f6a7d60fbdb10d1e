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
import io.atoll.history.PendingEvents;
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
import io.atoll.view.Views;
import io.atoll.world.Membership;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.Peers;
import io.atoll.world.StepObserver;
import io.atoll.world.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A world of ranks, as seen by the process that is one of them. It offers this process's segment to the others and
 * reaches theirs.
 * <pre>{@code
 * try (World world = World.named("demo").size(3).rank(0).fabric(Fabrics.sharedMemory())
 *         .segment(256 << 20).join(ofSeconds(10))) {
 *     LongLongMap hits = world.longMap("hits").capacity(1 << 20).open();
 *     hits.addAndGet(7, 1);
 *     world.barrier();
 * }
 * }</pre>
 *
 * <p>Structures can be used once every rank has joined. Their operations fail with a
 * {@link io.atoll.failure.RankUnreachableException} while a rank that they need is absent. They work again when it is
 * back. Any thread may use a world.
 */
public final class World implements AutoCloseable {

    /**
     * The state of a process that a view has removed from its world, and that joins again by itself.
     *
     * @param removal why its last life has ended
     * @param since how long ago that was
     * @param waitsFor what must happen before it takes part again, in words
     */
    public record Rejoining(JoinRefusedException removal, Duration since, String waitsFor) {}

    private final WorldIdentity identity;
    private final String fabric;
    private final BackgroundThreads background;
    private final Lives lives;
    private final int rank;
    private final Duration joinTimeout;
    private final StepObserver stepObserver;
    private final EpochManager epochs;
    private final Collectives collectives;
    private final TypeCodecs codecs;
    private final @Nullable Recorder recorder; // null if no history is kept
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean wasWhole;

    /** Makes the process known to the others; does not wait for them. */
    World(WorldBuilder builder, LifeSettings settings, Attachment attachment, Optional<PendingEvents> notes)
            throws InterruptedException {
        this.identity = settings.world();
        this.fabric = settings.fabric().name();
        this.rank = attachment.fabric().rank();
        this.joinTimeout = settings.joinTimeout();
        this.stepObserver = settings.stepObserver();
        this.background = new BackgroundThreads();
        this.epochs = new EpochManager(this::participant, builder.epochs()).watchPins();
        this.lives = new Lives(settings, attachment, builder.membership(), background, epochs::beginAnew);
        this.codecs = builder.codecs();
        this.collectives = new Collectives(identity.name(), this::participant, builder.collectives(), background);
        this.recorder = notes.map(each -> recorder(builder, each)).orElse(null);
    }

    private Recorder recorder(WorldBuilder builder, PendingEvents pendingEvents) {
        lives.whenViewChanges(() -> lives.present()
                .views()
                .map(Views::status)
                .map(Views.Status::view)
                .ifPresent(view -> pendingEvents.add(Event.Kind.VIEW, Event.NO_RANK,
                        "view " + view.number() + " of " + view.members().size() + " ranks")));
        return new Recorder(name(), () -> lives.present().participant(), this::peers, builder.verbCounts(),
                pendingEvents,
                background);
    }

    /**
     * Begins to look for the others, after repairing what this rank had left in its segment before. Does not wait for
     * the others.
     */
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

    /**
     * Returns the manager that frees objects once no thread can be using them. The caller may take it before the world
     * is whole; its first use waits.
     */
    public EpochManager epochs() {
        return epochs;
    }

    /** Returns the operations that members of teams do together. The caller may take them before the world is whole. */
    public Collectives collectives() {
        return collectives;
    }

    /** Begins to describe a world. All its processes must use the same name. */
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

    /** Returns how often this rank has been started, or has joined again, from 1. */
    public int incarnation() {
        return lives.present().incarnation();
    }

    /**
     * Returns the name of the fabric by which ranks reach each other's memory, as in the configuration, such as
     * {@code shared-memory}.
     */
    public String fabric() {
        return fabric;
    }

    /**
     * Returns the other ranks as this one sees them. After this process has {@linkplain #rejoining joined again}, it
     * sees them through another object.
     */
    public Peers peers() {
        return lives.present().peers();
    }

    /**
     * Returns why this process takes part no more, if it has had to stop after it had joined: the membership has
     * {@linkplain Membership#refusal() refused} it later, or its place on its host is gone. Then every operation that
     * needs the world fails with a {@link io.atoll.failure.FencedException} that bears the reason. That is final; close
     * the world and open it anew. After a view has removed this rank, the process joins again by itself, see
     * {@link #rejoining}. Then this method returns empty, unless {@link WorldBuilder#rejoin} was set to false.
     */
    public Optional<JoinRefusedException> refusal() {
        return lives.refusal();
    }

    /**
     * Returns the state of joining again. It is present if the others have removed this process from the world, since
     * they did not hear it. The process joins again by itself, as its next {@linkplain #incarnation incarnation}, as
     * soon as it reaches enough of them. Until then every operation that needs the world fails with a
     * {@link io.atoll.failure.FencedException}; so does an operation that was under way. Afterwards structures, locks,
     * {@link #epochs} and {@link #collectives} work again with the next operation. Objects that were bound to the
     * former life fail with a {@code FencedException} for ever: locks that were held, tokens and pins, buffers,
     * {@link Pointer}s and {@link Participant}s.
     */
    public Optional<Rejoining> rejoining() {
        return lives.rejoining();
    }

    /** Returns how often this process has joined again after the others had removed it. */
    public long rejoins() {
        return lives.rejoins();
    }

    /**
     * Calls the listener whenever this process may act by another {@linkplain Inspection#views() view}. The listener
     * must neither wait nor throw. It is never called where all ranks share memory: there the kernel knows which ranks
     * live.
     */
    public void whenViewChanges(Runnable listener) {
        lives.whenViewChanges(listener);
    }

    /**
     * Returns the threads that work for this world in this process. An application may have its own threads watched
     * with them.
     */
    public BackgroundThreads background() {
        return background;
    }

    /** Returns the waits of this process's threads for other ranks. */
    public List<Waits.Wait> waits() {
        return lives.present().participant().waits().snapshot();
    }

    /**
     * Returns this process's part in the world, for structures of the caller's own. Waits for missing ranks, at most
     * the join timeout, but only until all have joined for the first time. Later an operation fails only if it needs a
     * rank that is gone.
     *
     * @throws io.atoll.failure.MissingRanksException with the ranks that did not come
     * @throws io.atoll.failure.FencedException if this process must not take part any more, or has to join again first
     * @throws IllegalStateException if this process has left, or the thread is interrupted while it waits
     */
    public Participant participant() {
        if (wasWhole && !closed.get()) {
            return lives.present().participant();
        }
        return stepObserver.run(StepObserver.Step.AWAIT_RANKS, name(), this::awaitRanks);
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

    /**
     * Describes a map of keys and values that have codecs: primitives' boxes, UUIDs, texts, byte arrays, records of
     * these, and the further types that {@link WorldBuilder#codecs} knows.
     */
    public <K, V> DistributedMap.Builder<K, V> map(String name, Class<K> keys, Class<V> values) {
        return codecs.areFixed(keys) && codecs.areFixed(values)
                ? DistributedMap.builder(name, codecs.fixed(keys), codecs.fixed(values), this::participant, epochs)
                : DistributedMap.builder(name, codecs.keys(keys), codecs.values(values), this::participant, epochs);
    }

    /** Describes a map from long to long with exact additions, without boxing. */
    public LongLongMap.Builder longMap(String name) {
        return LongLongMap.builder(name, this::participant, epochs);
    }

    /** Describes a Bloom filter of texts, or of elements that have a codec or a hash of their own. */
    public <T> BloomFilter.Builder<T> filter(String name, Class<T> elements) {
        BloomFilter.Builder<T> filter = BloomFilter.builder(name, elements, this::participant);
        codecs.own(elements).ifPresent(filter::codec);
        return filter;
    }

    /** Describes a Bloom filter of longs, without boxing. */
    public LongBloomFilter.Builder longFilter(String name) {
        return LongBloomFilter.builder(name, this::participant);
    }

    /** Describes a circular queue of elements of fixed size in the segment of one rank. */
    public <T> CircularQueue.Builder<T> queue(String name, Class<T> elements) {
        return CircularQueue.builder(name, codecs.fixed(elements), this::participant);
    }

    /** Describes a circular queue of longs, without boxing. */
    public LongCircularQueue.Builder longQueue(String name) {
        return LongCircularQueue.builder(name, this::participant);
    }

    /** Describes a stack without bounds. */
    public <T> LinkedBuilder<LinkedStack<T>> stack(String name, Class<T> values) {
        return LinkedStack.builder(name, codecs.fixed(values), this::participant, epochs);
    }

    /** Describes a queue without bounds. */
    public <T> LinkedBuilder<LinkedQueue<T>> linkedQueue(String name, Class<T> values) {
        return LinkedQueue.builder(name, codecs.fixed(values), this::participant, epochs);
    }

    /** Describes a queue of elements of fixed size in the segment of one rank, for phases that barriers separate. */
    public <T> FastQueue.Builder<T> fastQueue(String name, Class<T> elements) {
        return FastQueue.builder(name, codecs.fixed(elements), this::participant);
    }

    /** Describes an array of elements of fixed size in the segment of one rank. */
    public <T> Array.Builder<T> array(String name, Class<T> elements) {
        return Array.builder(name, codecs.fixed(elements), this::participant);
    }

    /** Describes an array of longs in the segment of one rank, or over all, without boxing. */
    public LongArray.Builder longArray(String name) {
        return LongArray.builder(name, this::participant);
    }

    /** Describes an array of elements of fixed size over all ranks. */
    public <T> DistributedArray.Builder<T> distributedArray(String name, Class<T> elements) {
        return DistributedArray.builder(name, codecs.fixed(elements), this::participant);
    }

    /**
     * Allocates {@code count} new elements with arbitrary contents in the segment of that rank, and returns a pointer
     * to the first. To share them, the caller tells other ranks its {@link Pointer#address}.
     *
     * @throws io.atoll.failure.SegmentFullException and nothing was allocated
     */
    public <T> Pointer<T> allocate(int rank, Class<T> elements, long count) {
        return Pointer.allocate(participant(), rank, codecs.fixed(elements), count);
    }

    /** Returns the pointer to elements that another rank has allocated, from the address that it has told. */
    public <T> Pointer<T> pointer(GlobalPointer address, Class<T> elements) {
        return new Pointer<>(participant(), address, codecs.fixed(elements));
    }

    /** Describes a table of locks, spread over all ranks. */
    public LockTable.Builder lockTable(String name) {
        return LockTable.builder(name, this::participant);
    }

    /**
     * Returns a view of the world for code that observes it. The view shows the ranks that are there, and waits for
     * none.
     */
    public Inspection inspection() {
        return new Inspection(lives);
    }

    /** Returns the structures that exist in this world. */
    public List<NamedStructure> structures() {
        return participant().directory().structures(rank());
    }

    /**
     * Waits until every rank has called this method equally often. Everything that any rank wrote before is visible to
     * all ranks afterwards. Cost: ceil(log2 size) W.
     *
     * <p>An interrupted thread has entered the barrier: if it calls again, it waits for the same one. If this rank
     * calls {@link #allReduce} instead, that ends the barrier for the ranks that are in it.
     *
     * @throws io.atoll.failure.RankUnreachableException if a rank is lost meanwhile, or has left the barrier that it
     * had entered. The next barrier is one for all ranks again
     */
    public void barrier() throws InterruptedException {
        participant().barrier();
    }

    /**
     * Combines the values of all ranks element by element, in the order of ranks. Every rank has the result in its
     * array afterwards. Every rank must call it, with the same number of values. Cost: a barrier and size - 1 R in one
     * batch for each 64 values.
     *
     * <p>If it fails or is interrupted, the array is as it was. An interruption ends the reduction for all ranks that
     * are in it, and names this rank to them. If the operator throws, its exception is thrown after all ranks have this
     * rank's values; the others have their results.
     *
     * @throws io.atoll.failure.RankUnreachableException if a rank is lost meanwhile, or was interrupted; the next
     * reduction is one for all ranks again
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        participant().allReduce(values, operator);
    }

    /**
     * Runs the action and returns the verbs that this thread posts meanwhile: what an operation costs. Operations of
     * other threads go on, unrecorded.
     */
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
     * Leaves the world and gives its memory back; peers find this rank gone. Operations under way in other threads, and
     * later ones, fail with an {@link IllegalStateException}.
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
