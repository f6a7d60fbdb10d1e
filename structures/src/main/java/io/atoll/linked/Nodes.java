package io.atoll.linked;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.codec.Codec;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.Objects;

/**
 * The nodes of a linked structure. All lie in one rank's segment, so no other rank's death takes a link away.
 * <pre>
 *       0        8                8 + value
 *       +--------+----------------+
 *       |  link  |     value      |
 *       +--------+----------------+
 * </pre>
 * The value is written before any other thread knows the node, and never changes.
 *
 * @param <T> the type of the values
 */
final class Nodes<T> {

    private static final StructLayout HEADER = MemoryLayout.structLayout(Layouts.word("link"));

    /** The offset of a node's link. */
    public static final long LINK = Layouts.offsetOf(HEADER, "link");

    /** The offset of a node's value. */
    public static final long VALUE = HEADER.byteSize();

    private final Endpoint endpoint;
    private final Heap heap;
    private final int host;
    private final Codec<T> codec;
    private final long bytes;

    /** @param host the rank in whose segment the nodes are */
    public Nodes(Endpoint endpoint, Heap heap, int host, Codec<T> codec) {
        this.endpoint = endpoint;
        this.heap = heap;
        this.host = host;
        this.codec = codec;
        this.bytes = VALUE + codec.bytes();
    }

    /** Returns the bytes of each node. */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns a new node that no other thread knows. Cost: 2 W, not waited for; they arrive before a later atomic of
     * this thread to the host. Now and then also what {@link Heap#allocate} costs more.
     *
     * @param link the first value of its link
     * @throws io.atoll.failure.SegmentFullException if there is no room; there is no node then
     */
    public GlobalPointer create(T value, long link) {
        MemorySegment content = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Layouts.WORD)]);
        content.set(JAVA_LONG, LINK, link);
        codec.encode(Objects.requireNonNull(value, "value"), content, VALUE);
        GlobalPointer node = heap.allocatePointer(host, bytes);
        try {
            endpoint.write(host, node.offset(), content, 0, bytes);
            return node;
        } catch (VirtualMachineError | LinkageError struck) {
            discardAfterError(node);
            throw struck;
        }
    }

    /** Returns a new node without a value. Cost: that of {@link #create}. */
    public GlobalPointer createEmpty(long link) {
        GlobalPointer node = heap.allocatePointer(host, bytes);
        try {
            endpoint.writeWord(host, node.offset() + LINK, link);
            return node;
        } catch (VirtualMachineError | LinkageError struck) {
            discardAfterError(node);
            throw struck;
        }
    }

    /** Changes the link of a node that no other thread knows yet. Cost: W, not waited for. */
    public void link(GlobalPointer node, long link) {
        endpoint.writeWord(host, node.offset() + LINK, link);
    }

    /** Returns all of a node as it is now. Cost: R. */
    public Content<T> read(GlobalPointer node) {
        MemorySegment content = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Layouts.WORD)]);
        endpoint.read(host, node.offset(), content, 0, bytes);
        return new Content<>(codec, content);
    }

    /** Adds a read of all of a node to the batch. Cost: R. */
    public void read(Batch batch, GlobalPointer node, long position) {
        batch.read(host, node.offset(), position, bytes);
    }

    /** Returns what a completed batch has read of a node. */
    public Content<T> content(Batch batch, long position) {
        MemorySegment content = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Layouts.WORD)]);
        MemorySegment.copy(batch.buffer(position + bytes), position, content, 0, bytes);
        return new Content<>(codec, content);
    }

    /** Returns true if a node goes into a batch with other verbs, which cross a network. */
    public boolean goInBatches() {
        return !executesAtOnce() && bytes <= Batch.SMALL_BUFFER_BYTES / 2;
    }

    /** Returns the batch of this thread for verbs to the host. */
    public Batch batch() {
        return endpoint.batch(host);
    }

    /** Returns true if a batch may look first where a node is, and then at the node. */
    public boolean readsInOrder() {
        return endpoint.readsInOrder(host);
    }

    /** Gives back a node that no other thread ever knew. Cost: that of {@link Heap#free(GlobalPointer)}. */
    public void discard(GlobalPointer node) {
        heap.free(node);
    }

    /** Like {@link #discard}, for a node whose writes may still be under way. A second error leaves it allocated. */
    public void discardAfterError(GlobalPointer node) {
        try {
            // Flushed, because the freed node may go to a thread whose writes do not wait for those of this one.
            endpoint.flush(host);
            discard(node);
        } catch (FabricException | VirtualMachineError | LinkageError again) {
            Aftermath.warn("a node stays allocated", again);
        }
    }

    /** Returns true if an exchange that was struck by an error has not taken place. */
    public boolean executesAtOnce() {
        return endpoint.executesAtOnce(host);
    }

    /**
     * Like {@link #retire}, for a node whose value the caller is about to return: an exception would lose the value. If
     * an error keeps the node from being retired, it is tried once more.
     */
    public void retireAfterPop(Token token, GlobalPointer node) {
        try {
            retire(token, node);
        } catch (FabricException unreachable) {
            Aftermath.warn("a node stays allocated", unreachable);
        } catch (VirtualMachineError | LinkageError first) {
            retireAgain(token, node, first);
        }
    }

    private void retireAgain(Token token, GlobalPointer node, Error first) {
        Aftermath.warn("a node is retired in a second attempt", first);
        try {
            retire(token, node);
        } catch (FabricException | VirtualMachineError | LinkageError again) {
            Aftermath.warn("a node stays allocated", again);
        }
    }

    /** Gives back a node that has been unlinked. Cost: that of {@link Token#retire(long, long)}. */
    public void retire(Token token, GlobalPointer node) {
        token.retire(node.toWord(), bytes);
    }

    /** The contents of a node that was read. */
    public record Content<T>(Codec<T> codec, MemorySegment words) {

        public long link() {
            return words.get(JAVA_LONG, LINK);
        }

        public T value() {
            return codec.decode(words, VALUE);
        }
    }
}
