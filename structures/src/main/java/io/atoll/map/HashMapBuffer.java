package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.failure.AtollException;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.world.Barrier;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Collects insertions into a {@link DistributedMap} and sends them in bulk. It is for phases in which all ranks insert,
 * and no rank cares when its entries arrive (BCL, section 5.3). Inserted entries are in the map after the next
 * {@link #flush}, which all ranks call. Insertions work as those of {@link DistributedMap#putIfAbsent}: a key that has
 * a value keeps it. If several values are inserted for a new key, one of them is stored.
 *
 * <p>Each rank hosts a {@link FastQueue}. Entries are staged here, for each owner, until they fill a message. Then they
 * are pushed to the owner's queue. When all have been pushed, each rank inserts what lies in its own queue into its
 * part of the map. It does so by loads and stores ({@link Promise#local}). If a queue is full, this rank inserts the
 * message itself at once: nothing waits, and nothing is lost. If the map is full, {@code flush} fails at the rank that
 * sent the entries or at their owner. Entries without room stay in the sender's {@linkplain #staged stage} or in the
 * owner's {@linkplain #kept queue}. They stay until there is room and all ranks flush again, or until the rank that has
 * them {@linkplain #giveUp gives them up}.
 *
 * <p>If a rank dies, {@code flush} fails at all other ranks and names the dead one. All ranks then flush again, that
 * rank's next incarnation too. After that the map has what the others have inserted, and what had arrived of the dead
 * rank. A message that had not arrived whole is dropped. If the rank comes back without its segment, what it had is
 * lost, its queue included. A buffer of a map that begins empty there goes on.
 *
 * <p>A message whose connection breaks on the way is sent again. Entries that arrive twice are inserted once, so no
 * rank may remove them before all have flushed.
 *
 * <p>All ranks open the buffer with the same sizes, which is checked. One thread of each rank uses it at a time. A
 * process has one buffer for each map, as long as it takes part in the world. If it opens the buffer again, after a
 * close or a failed flush, it finds what was staged before. The next flush goes on where the last one was.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class HashMapBuffer<K, V> implements AutoCloseable {

    private static final Codec<Long> WORDS = Codecs.forType(Long.class);

    /** The figures that a buffer shows to monitoring. */
    public static final StructureStats FIGURES = new BufferFigures(FastQueue.FIGURES, FastQueue.bytes(WORDS, 0));

    private final String name;
    private final Handle<Entries<K, V>> map;
    private final BufferSizes sizes;
    private final long messageBytes;
    private final List<SendBuffer<K, V>> stages;
    // true if this rank, or its previous incarnation, has left a flush that others may be in the middle of
    private boolean left;
    private long leftAt; // the last barrier that this rank had passed when it left
    private boolean inserted; // true if a flush that has not ended has inserted what lay in the own queue
    private long keptMessages; // messages at the head of the own queue that the last flush could not insert
    private @Nullable Throwable failure; // of the last flush, at this rank
    private Targets<K, V> targets;

    /**
     * Where insertions go: the map's entries, and the queues. Both are other ones when the map was opened anew, because
     * a rank has lost its segment.
     *
     * @param alone the same entries, by loads and stores: they insert what lies in the own queue
     * @param queues of words, in whole messages
     */
    private record Targets<K, V>(Entries<K, V> entries, Entries<K, V> alone, Participant participant,
            List<FastQueue<Long>> queues) {

        /** Entries that were sent to a lost segment are lost with the part of the map that they were for. */
        static <K, V> Targets<K, V> open(String buffer, Entries<K, V> entries, BufferSizes sizes, long messageBytes) {
            Participant self = entries.table.participant();
            long words = sizes.messages(self.size()) * messageBytes / Long.BYTES;
            long queueBytes = FastQueue.bytes(WORDS, words);
            sizes.open(self, buffer, queueBytes);
            return new Targets<>(entries, entries.alone(), self,
                    IntStream.range(0, self.size())
                            .mapToObj(rank -> FastQueue.within(buffer, WORDS, words, rank, self::latest,
                                    present -> sizes.find(present, buffer, queueBytes)[rank]))
                            .toList());
        }

        FastQueue<Long> own() {
            return queues.get(participant.rank());
        }
    }

    /**
     * Keeps the one buffer that a process has for a map. A second one, opened after a failed flush, would lack what was
     * staged. Nor would it know that nothing may be sent.
     */
    private record Opened<K, V>(HashMapBuffer<K, V> buffer) implements AutoCloseable {

        @Override
        public void close() {
            // A process that leaves the world gives up what it has staged.
        }
    }

    private HashMapBuffer(String name, Handle<Entries<K, V>> map, BufferSizes sizes) {
        this.name = name;
        this.map = map;
        this.sizes = sizes;
        Entries<K, V> entries = map.opened();
        this.messageBytes = Message.bytes(sizes.messageSize(), entries.bytesInMessage());
        this.targets = Targets.open(name, entries, sizes, messageBytes);
        long messages = sizes.messages(targets.queues.size());
        this.stages = targets.queues.stream()
                .map(_ -> new SendBuffer<>(entries, messages, sizes.messageSize(), messageBytes))
                .toList();
        this.left = targets.participant.incarnation() > 1;
    }

    /** @param entries of the map, as they are at the moment */
    static <K, V> HashMapBuffer<K, V> open(String map, Handle<Entries<K, V>> entries, BufferSizes sizes) {
        sizes.check(map);
        String name = map + ".buffer";
        Participant self = entries.opened().table.participant();
        Opened<K, V> opened = self.shared(name, () -> new Opened<>(new HashMapBuffer<>(name, entries, sizes)));
        if (!opened.buffer.sizes.equals(sizes)) {
            throw sizes.refusal(name, self.rank(), opened.buffer.sizes + " ranks=" + List.of(self.rank()));
        }
        return opened.buffer;
    }

    private Targets<K, V> targets() {
        return targets(map.opened());
    }

    private Targets<K, V> targets(Entries<K, V> present) {
        // Entries that another incarnation of this process has opened have nothing of this buffer.
        if (targets.entries != present
                && targets.participant.incarnation() == present.table.participant().incarnation()) {
            targets = Targets.open(name, present, sizes, messageBytes);
        }
        return targets;
    }

    /**
     * Stages an entry. An entry of variable size that exceeds a whole message is inserted at once. Cost: nothing for
     * most entries; A + W and a flush when a message becomes full. If the owner's queue is full, the message costs what
     * as many insertions cost.
     *
     * <p>A death may have ended a flush here, or this rank may have been started again. Others may then still be in the
     * middle of that flush. Nothing may be sent or inserted during it. So everything is staged until the next flush or
     * barrier of all. For each owner at most as many messages are staged as its queue has room for.
     *
     * @throws IllegalStateException when that many messages are staged. This entry was not taken; entries taken before
     * are kept for the flush
     * @throws AtollException when an earlier message must be sent first, and cannot be. This entry was not taken;
     * entries taken before are kept
     */
    public void putIfAbsent(K key, V value) {
        Objects.requireNonNull(value, "value");
        Targets<K, V> to = targets(map.use());
        int owner = to.entries.owner(key);
        SendBuffer<K, V> stage = stages.get(owner);
        if (stage.append(key, value)) {
            return;
        }
        if (!maySend()) {
            if (!stage.appendBehind(key, value)) {
                throw new IllegalStateException(
                        "flush, or pass a barrier, before more is inserted: nothing is sent before that: buffer="
                                + name + " staged=" + staged());
            }
            return;
        }
        push(to, owner);
        if (!stage.append(key, value)) {
            to.entries.table.enter(MapPromises.INSERT);
            to.entries.insert(key, value, Promise.nothing());
        }
    }

    /**
     * Returns false while another rank may be in a flush that this rank, or its previous incarnation, has left. That
     * other rank inserts what lies in its queue as if it were alone, and drops what has not arrived. Once this rank has
     * passed a barrier after that, it has met all others outside the flush.
     */
    private boolean maySend() {
        return !left || targets.participant.lastBarrier() != leftAt;
    }

    private void push(Targets<K, V> to, int owner) {
        SendBuffer<K, V> stage = stages.get(owner);
        stage.send(message -> {
            MemorySegment sealed = message.seal();
            if (stage.fitsIntoQueue(message) && to.queues.get(owner).pushEncoded(sealed)) {
                // The flush reports what is lost on its way while the message is still staged, and can be sent again.
                to.participant.endpoint().flush(owner);
            } else {
                to.entries.table.enter(MapPromises.INSERT);
                message.insertAll(to.entries::insert);
            }
        });
    }

    /**
     * Returns when everything that any rank has inserted into its buffer is in the map. Every rank calls it, equally
     * often, and no thread uses the map otherwise meanwhile.
     *
     * <p>Cost: two barriers, and A + W and a flush for each message that is left. What lies in this rank's queue takes
     * no verb, with two exceptions. One key in 64 is counted if the map grows. Keys or values of variable size take
     * {@link io.atoll.heap.Heap#allocate}.
     *
     * <p>If a flush is interrupted, call it again; it goes on where it was. What is inserted before that call is sent
     * by the flush after it. A barrier or reduction that this rank calls instead ends the flush for all.
     *
     * @throws AtollException when entries of this rank, or for it, have no room, or a rank is not there. Those entries
     * are kept for another flush, and those of others are in the map. If a rank was not there, change the map in no
     * other way before the next flush
     */
    public void flush() throws InterruptedException {
        try {
            // Both barriers in one. Else a rank that is started anew between them could meet, with its first, the
            // second of another rank.
            targets().participant.together(this, this::move);
        } finally {
            leftAt = targets.participant.lastBarrier();
        }
        Throwable told = failure;
        if (told != null) {
            HashMapBuffer.<RuntimeException>throwAsItIs(told);
        }
    }

    /** Throws the failure as it is: a codec or a hash function of the user's may have thrown anything. */
    @SuppressWarnings("unchecked") // the caller's compiler takes it for unchecked
    private static <E extends Throwable> void throwAsItIs(Throwable failure) throws E {
        throw (E) failure;
    }

    private void move(Barrier.Steps steps) throws InterruptedException {
        // Skipped if this part was done and then the flush was interrupted. The others push for the next flush as soon
        // as they are told that this rank waits.
        if (!inserted || maySend()) {
            inserted = false;
            failure = maySend() ? failureOf(this::pushAll, null) : failure;
            left = true; // until the flush has ended: from now on others may pass the first barrier
            steps.pass();
            failure = failureOf(this::insertOwn, failure);
            keptMessages = messagesInOwn();
            inserted = true;
        }
        steps.pass();
        inserted = false;
        left = false;
    }

    /** Catches everything, because the others wait for this rank at the barrier. */
    private static @Nullable Throwable failureOf(Runnable action, @Nullable Throwable earlier) {
        try {
            action.run();
            return earlier;
        } catch (Throwable failure) {
            if (earlier == null) {
                return failure;
            }
            earlier.addSuppressed(failure);
            return earlier;
        }
    }

    private void pushAll() {
        Targets<K, V> to = targets();
        for (int owner = 0; owner < stages.size(); owner++) {
            push(to, owner);
        }
    }

    /** Inserts what lies in the own queue. A message leaves the queue when all of it is in the map. */
    void insertOwn() {
        Targets<K, V> to = targets();
        FastQueue<Long> own = to.own();
        for (MemorySegment piece : own.local()) {
            for (long position = 0; position < piece.byteSize(); position += messageBytes) {
                to.entries.table.enter(MapPromises.LOCAL);
                Message.insertAll(piece.asSlice(position, messageBytes), to.alone::insert);
                own.localSkip(messageBytes / Long.BYTES);
            }
        }
    }

    private long messagesInOwn() {
        return targets().own().local().stream().mapToLong(MemorySegment::byteSize).sum() / messageBytes;
    }

    /** Returns the number of entries that this rank has staged and not sent. Cost: none. */
    public long staged() {
        return stages.stream().mapToLong(SendBuffer::count).sum();
    }

    /**
     * Returns the number of entries, of any rank, that the last flush has left in this rank's queue. This rank's part
     * of the map had no room for them. Cost: no verb.
     */
    public long kept() {
        long[] count = new long[1];
        showKept((key, value) -> count[0]++);
        return count[0];
    }

    private void showKept(BiConsumer<? super K, ? super V> visitor) {
        long left = keptMessages;
        Targets<K, V> from = targets();
        for (MemorySegment piece : from.own().local()) {
            for (long position = 0; position < piece.byteSize() && left > 0; position += messageBytes, left--) {
                Message.showAll(piece.asSlice(position, messageBytes),
                        (message, entry) -> from.entries.decode(message, entry, visitor));
            }
        }
    }

    /**
     * Gives up what a flush has left here: what is {@linkplain #staged staged}, and what is {@linkplain #kept kept} in
     * this rank's queue. Then the buffer can be closed. Other ranks give up what they have staged or keep themselves.
     * Do not call this between an interrupted flush and the call that continues it. Cost: no verb.
     *
     * @param visitor is handed every entry. If it throws, what it was handed of the same message is still there
     */
    public void giveUp(BiConsumer<? super K, ? super V> visitor) {
        stages.forEach(stage -> stage.giveUp(visitor));
        showKept(visitor);
        // Messages behind the kept ones were sent since, for the next flush.
        targets().own().localSkip(keptMessages * messageBytes / Long.BYTES);
        keptMessages = 0;
    }

    /**
     * Ends the use of the buffer, until it is opened again. Its queues stay.
     *
     * @throws IllegalStateException if an entry in it was neither inserted nor {@linkplain #giveUp given up}; says how
     * many, and where
     */
    @Override
    public void close() {
        long kept = kept();
        long staged = staged();
        if (kept + staged > 0) {
            throw new IllegalStateException("flush it before it is closed, or give up what it has: buffer=" + name
                    + " kept=" + kept + " staged=" + staged);
        }
    }

    @Override
    public String toString() {
        return "HashMapBuffer[" + name + "]";
    }
}
