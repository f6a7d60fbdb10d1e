package io.atoll.map;

import io.atoll.codec.Codecs;
import io.atoll.failure.AtollException;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.world.Barrier;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Collects insertions into a {@link DistributedMap} and sends them in bulk, for phases in which all ranks insert and nobody cares when (BCL, section 5.3). What was inserted is in the
 * map after the next {@link #flush}, which all ranks call. Its insertions are those of {@link DistributedMap#insert}: a key that has a value keeps it, and of several
 * values that are inserted for a new key one is stored.
 *
 * <p>Each rank hosts a {@link FastQueue}. Entries are staged here, for each owner, until there are as many as a message has; then they are pushed to the owner's queue, and
 * when all have been, each rank inserts what lies in its own queue into its own part of the map, by loads and stores ({@link Promise#local}). If a queue is full, the message is inserted from
 * here at once: nothing waits, and nothing is lost. If the map is full, whoever flushes is told: what he has sent and has no room stays in
 * his {@linkplain #staged stage} or in the {@linkplain #kept queue} of its owner, until there is room and all flush again, or those who have it {@linkplain #giveUp give it up}.
 *
 * <p>If a rank dies, {@code flush} ends with its name at all others. What they have inserted, and what had arrived of the other's, is in the map when all have flushed again, that rank's next incarnation,
 * too; a message that had not arrived whole is dropped. If it comes back without its segment, what it had is lost, its queue included; a buffer of a map that begins empty there goes on. A message whose connection breaks on the way is sent again, and what it brings twice is inserted once; so nothing of it is to be removed before
 * all have flushed.
 *
 * <p>Opened by all ranks with the same sizes, which is seen to; used by one thread of each at a time. A process has one for each map, as long as it takes part in the world: who opens it again, after it was closed or
 * a flush has failed, has what was staged in it before, and the next flush goes on where the last one was.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class HashMapBuffer<K, V> implements AutoCloseable {

    private final String name;
    private final Handle<Entries<K, V>> map;
    private final BufferSizes sizes;
    private final long messageBytes;
    private final List<Stage<K, V>> stages;
    private boolean left; // a flush that others may be in the middle of
    private long leftAt; // the last barrier that was passed then
    private boolean inserted; // what lay in the own queue, by a flush that has not ended
    private long keptMessages; // at the head of the own queue: those that the last flush could not insert
    private @Nullable Throwable failure; // of the last flush, here
    private Ends<K, V> ends;

    /**
     * Where entries come from and go to: others when the map was opened anew, since a rank has lost its segment.
     *
     * @param alone for what lies in the own queue
     * @param queues of words, in whole messages
     */
    private record Ends<K, V>(Entries<K, V> entries, Entries<K, V> alone, Participant participant,
            List<FastQueue<Long>> queues) {

        static <K, V> Ends<K, V> open(String buffer, Entries<K, V> entries, BufferSizes sizes, long messageBytes) {
            Participant self = entries.table().participant();
            sizes.agree(self, buffer);
            long words = sizes.messages(self.size()) * messageBytes / Long.BYTES;
            return new Ends<>(entries, entries.alone(), self,
                    IntStream.range(0, self.size()).mapToObj(rank -> queue(self, buffer, rank, words)).toList());
        }

        /** What was sent to a segment that is lost is lost with the part of the map that it was for. */
        private static FastQueue<Long> queue(Participant self, String buffer, int rank, long words) {
            return FastQueue.builder(buffer + "." + rank, Codecs.forType(Long.class), self::latest)
                    .capacity(words)
                    .host(rank)
                    .onLoss(OnLoss.EMPTY)
                    .open();
        }

        FastQueue<Long> own() {
            return queues.get(participant.rank());
        }
    }

    /** Of a process and a map there is one: who opened another after a flush that has failed would neither have what was staged, nor know that nothing may be sent. */
    private record Opened<K, V>(HashMapBuffer<K, V> buffer) implements AutoCloseable {

        @Override
        public void close() {
            // Whoever leaves the world gives up what it has staged.
        }
    }

    private HashMapBuffer(String name, Handle<Entries<K, V>> map, BufferSizes sizes) {
        this.name = name;
        this.map = map;
        this.sizes = sizes;
        Entries<K, V> entries = map.opened();
        this.messageBytes = Message.bytes(sizes.messageSize(), entries.bytesInMessage());
        this.ends = Ends.open(name, entries, sizes, messageBytes);
        long messages = sizes.messages(ends.queues.size());
        this.stages = ends.queues.stream()
                .map(_ -> new Stage<>(entries, messages, sizes.messageSize(), messageBytes))
                .toList();
        this.left = ends.participant.incarnation() > 1;
    }

    /** @param entries of the map, as they are at the moment */
    static <K, V> HashMapBuffer<K, V> open(String map, Handle<Entries<K, V>> entries, BufferSizes sizes) {
        sizes.check(map);
        String name = map + ".buffer";
        Participant self = entries.opened().table().participant();
        Opened<K, V> opened = self.shared(name, () -> new Opened<>(new HashMapBuffer<>(name, entries, sizes)));
        if (!opened.buffer.sizes.equals(sizes)) {
            throw sizes.refusal(name, self.rank(), opened.buffer.sizes + " ranks=" + List.of(self.rank()));
        }
        return opened.buffer;
    }

    private Ends<K, V> ends() {
        return ends(map.opened());
    }

    private Ends<K, V> ends(Entries<K, V> present) {
        // One that is of another life of this process has nothing of this buffer.
        if (ends.entries != present
                && ends.participant.incarnation() == present.table().participant().incarnation()) {
            ends = Ends.open(name, present, sizes, messageBytes);
        }
        return ends;
    }

    /**
     * Stages an entry. Cost: nothing; A + W and a flush for each message that becomes full; what as many insertions cost for one whose queue is full. An entry of variable size that exceeds a whole message is
     * inserted at once.
     *
     * <p>After a flush that a death has ended, and in a rank that has been started again, others may be in the middle of a flush, in which nothing may be sent or inserted: then
     * everything is staged until the next flush, or barrier of all, for each owner as many messages as its queue has room for.
     *
     * @throws IllegalStateException when there are that many; the entry was not taken then, and what was taken is kept for the flush
     * @throws AtollException when an earlier message must be sent first, and cannot be; the entry was not taken then, and what was taken is kept
     */
    public void insert(K key, V value) {
        Objects.requireNonNull(value, "value");
        Ends<K, V> to = ends(map.use());
        int owner = to.entries.owner(key);
        Stage<K, V> stage = stages.get(owner);
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
            to.entries.insert(key, value, Promise.nothing());
        }
    }

    /**
     * Not as long as another rank may be in the middle of a flush that this one, or its incarnation before, has left: it inserts what lies in its queue as if it was alone, and drops what has not
     * arrived. Who passes a barrier after that has met all others outside.
     */
    private boolean maySend() {
        return !left || ends.participant.lastBarrier() != leftAt;
    }

    private void push(Ends<K, V> to, int owner) {
        Stage<K, V> stage = stages.get(owner);
        stage.send(message -> {
            MemorySegment sealed = message.seal();
            if (stage.fitsIntoQueue(message) && to.queues.get(owner).pushEncoded(sealed)) {
                // What is lost on its way is told here, while it is still staged, and can be sent again.
                to.participant.endpoint().flush(owner);
            } else {
                message.insertAll(to.entries::insert);
            }
        });
    }

    /**
     * Returns when everything that any rank has inserted into its buffer is in the map. Every rank calls it, as often, and nobody else uses the map meanwhile. Cost: two barriers, and A + W and a flush for each
     * message that is left; no verb for what lies in this rank's queue, but for one key in 64 that is counted where the map grows, and for {@link io.atoll.heap.Heap#allocate} where keys or values are
     * of variable size.
     *
     * <p>If it is interrupted, it is to be called again, and goes on where it was; what is inserted
     * before that is sent by the flush after it. A barrier or reduction that this rank calls instead ends it for all.
     *
     * @throws AtollException when entries of this rank, or for it, have no room, or a rank is not there; they are kept for another flush, and those of others are in the map. After a rank was not
     * there, the map is not to be changed otherwise before that
     */
    public void flush() throws InterruptedException {
        try {
            // Together: were a rank started anew between two barriers of their own, the second of one could be the first of another.
            ends().participant.together(this, this::move);
        } finally {
            leftAt = ends.participant.lastBarrier();
        }
        Throwable told = failure;
        if (told != null) {
            HashMapBuffer.<RuntimeException>throwAsItIs(told);
        }
    }

    /** What a codec or a hash function of the user's has thrown may be anything. */
    @SuppressWarnings("unchecked") // the caller's compiler takes it for unchecked
    private static <E extends Throwable> void throwAsItIs(Throwable failure) throws E {
        throw (E) failure;
    }

    private void move(Barrier.Steps steps) throws InterruptedException {
        // Not again in the flush that an interruption has ended behind it: the others push for the next one as soon as they are told that this rank waits.
        if (!inserted || maySend()) {
            inserted = false;
            failure = maySend() ? failureOf(this::pushAll, null) : failure;
            left = true; // until it has ended: from now on others may pass the first barrier
            steps.pass();
            failure = failureOf(this::insertOwn, failure);
            keptMessages = messagesInOwn();
            inserted = true;
        }
        steps.pass();
        inserted = false;
        left = false;
    }

    /** The others wait for this rank at the barrier, whatever happens here. */
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
        Ends<K, V> to = ends();
        for (int owner = 0; owner < stages.size(); owner++) {
            push(to, owner);
        }
    }

    /** A message leaves the queue when all of it is in the map. */
    void insertOwn() {
        Ends<K, V> to = ends();
        FastQueue<Long> own = to.own();
        for (MemorySegment piece : own.local()) {
            for (long position = 0; position < piece.byteSize(); position += messageBytes) {
                Message.insertAll(piece.asSlice(position, messageBytes), to.alone::insert);
                own.localSkip(messageBytes / Long.BYTES);
            }
        }
    }

    private long messagesInOwn() {
        return ends().own().local().stream().mapToLong(MemorySegment::byteSize).sum() / messageBytes;
    }

    /** Entries that this rank has staged and not sent. Cost: none. */
    public long staged() {
        return stages.stream().mapToLong(Stage::count).sum();
    }

    /** Entries, of any rank, that lie in this rank's queue since its part of the map had no room for them in the last flush. Cost: no verb. */
    public long kept() {
        long[] count = new long[1];
        showKept((key, value) -> count[0]++);
        return count[0];
    }

    private void showKept(BiConsumer<? super K, ? super V> visitor) {
        long left = keptMessages;
        Ends<K, V> from = ends();
        for (MemorySegment piece : from.own().local()) {
            for (long position = 0; position < piece.byteSize() && left > 0; position += messageBytes, left--) {
                Message.showAll(piece.asSlice(position, messageBytes),
                        (message, entry) -> from.entries.decode(message, entry, visitor));
            }
        }
    }

    /**
     * Gives up what a flush has left here: what is {@linkplain #staged staged}, and what is {@linkplain #kept kept} in this rank's queue; then it can be closed. What others have
     * staged, or keep, is theirs to give up. Not while a flush is to be called again that was interrupted. Cost: no verb.
     *
     * @param visitor is handed every entry; if it throws, what it was handed in the same message is still there
     */
    public void giveUp(BiConsumer<? super K, ? super V> visitor) {
        stages.forEach(stage -> stage.giveUp(visitor));
        showKept(visitor);
        // What lies behind it was sent since, for the next flush.
        ends().own().localSkip(keptMessages * messageBytes / Long.BYTES);
        keptMessages = 0;
    }

    /**
     * Ends its use, until it is opened again; its queues stay.
     *
     * @throws IllegalStateException if there is something in it that was neither inserted nor {@linkplain #giveUp given up}; says how much, and where
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
