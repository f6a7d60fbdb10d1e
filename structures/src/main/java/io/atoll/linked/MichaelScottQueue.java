package io.atoll.linked;

import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.linked.Nodes.Content;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.StackRoom;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * Michael and Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms" (1996), figure
 * 1.
 *
 *       head                     tail
 *        |                        |
 *        v                        v
 *     +------+    +------+    +------+    +------+
 *     |  -   | -> |  a   | -> |  b   | -> |  c   | -> nothing
 *     +------+    +------+    +------+    +------+
 *
 * The tail may be one behind: a thread that finds it so helps it on. The first node's value has been taken already. A
 * push takes effect when the last node's link is swung, a pop when the head is.
 *
 * Everything is read under a pin. So no node that was read has become another structure's by the time it is looked at
 * again. Therefore two checks of the paper are left out: that the tail, and the head, are still what they were. A node
 * whose link refers to nothing is the last one, whichever thread looks. So a link that is swung from nothing is the
 * last one's. A queue whose head has no link is empty at that moment. The tail is read after the head: if it is another
 * node it is a later one, and the head does not overtake it.
 */
/** The protocol of {@link LinkedQueue}. */
class MichaelScottQueue<T> {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("head"), // the node whose link leads to the next value
            Layouts.padToCacheLine(Layouts.WORD), //
            Layouts.word("tail"), // the last node, or the one before it
            Layouts.padToCacheLine(Layouts.WORD));

    static final long HEAD = Layouts.offsetOf(LAYOUT, "head");
    static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    static final long BYTES = LAYOUT.byteSize();

    private final Endpoint endpoint;
    private final int host;
    private final AtomicObject<GlobalPointer> head;
    private final AtomicObject<GlobalPointer> tail;
    private final Nodes<T> nodes;
    private final EpochManager epochs;

    /** @param block the offset of its words in the host's segment */
    MichaelScottQueue(Endpoint endpoint, int host, long block, Nodes<T> nodes, EpochManager epochs) {
        this.endpoint = endpoint;
        this.host = host;
        this.head = AtomicObject.abaProtected(endpoint, host, block + HEAD, ObjectType.POINTER);
        this.tail = AtomicObject.abaProtected(endpoint, host, block + TAIL, ObjectType.POINTER);
        this.nodes = nodes;
        this.epochs = epochs;
    }

    final EpochManager epochs() {
        return epochs;
    }

    private AtomicObject<GlobalPointer> link(GlobalPointer node) {
        return AtomicObject.abaProtected(endpoint, host, node.offset() + Nodes.LINK, ObjectType.POINTER);
    }

    /**
     * Gives a queue its first node. A rank that dies in between leaves a head and no tail: the next rank goes on from
     * there. While there is no tail nothing was pushed, so the head still is the first node.
     */
    final void begin() {
        if (head.read() == null) {
            begin(nodes.createEmpty(0));
        }
        if (tail.read() == null) {
            tail.compareAndSwap(null, head.read());
        }
    }

    private void begin(GlobalPointer first) {
        boolean isFirst;
        try {
            isFirst = head.compareAndSwap(null, first);
        } catch (VirtualMachineError | LinkageError struck) {
            discardUnlessFirst(first, struck);
            throw struck;
        }
        if (!isFirst) {
            nodes.discard(first);
        }
    }

    private void discardUnlessFirst(GlobalPointer node, Error struck) {
        GlobalPointer first = head.read();
        if (nodes.executesAtOnce() || first == null) {
            nodes.discardAfterError(node);
        } else if (!first.equals(node)) {
            // It may have been the first node, and have been popped since: then it has been given back.
            Aftermath.warn("a node may stay allocated", struck);
        }
    }

    final void push(Token token, T value) {
        StackRoom.require();
        GlobalPointer node = nodes.create(value, 0);
        boolean isUnknown = true; // unknown to all other threads for certain
        try (Pin _ = token.pin()) {
            while (true) {
                Aba<GlobalPointer> last = tail.readAba();
                GlobalPointer lastNode = Objects.requireNonNull(last.object());
                AtomicObject<GlobalPointer> link = link(lastNode);
                Aba<GlobalPointer> next = link.readAba();
                if (next.object() != null) {
                    tail.compareAndSwapAba(last, next.object());
                } else {
                    isUnknown = false;
                    if (isLinked(link, next, node)) {
                        helpOn(last, node);
                        return;
                    }
                    isUnknown = true;
                }
            }
        } catch (VirtualMachineError | LinkageError struck) {
            if (isUnknown) {
                nodes.discardAfterError(node);
            }
            throw struck;
        }
    }

    /**
     * Links the node, unless another one has been linked. If this throws an error, the node is not linked and has been
     * given back.
     */
    private boolean isLinked(AtomicObject<GlobalPointer> link, Aba<GlobalPointer> nothing, GlobalPointer node) {
        try {
            return link.compareAndSwapAba(nothing, node);
        } catch (VirtualMachineError | LinkageError struck) {
            // A link that refers to a node never changes again. The node that has the link is not freed under the pin.
            if (!node.equals(link.read())) {
                nodes.discardAfterError(node);
                throw struck;
            }
            Aftermath.warn("a value was pushed", struck);
            return true;
        }
    }

    /**
     * Moves the tail on. If that fails, the value is in the queue all the same: a thread that finds the tail one behind
     * helps it on.
     */
    private void helpOn(Aba<GlobalPointer> last, GlobalPointer node) {
        try {
            tail.compareAndSwapAba(last, node);
        } catch (FabricException | VirtualMachineError | LinkageError notYet) {
            Aftermath.warn("the tail of a queue stays one behind", notYet);
        }
    }

    final @Nullable T pop(Token token) {
        try (Pin _ = token.pin()) {
            while (true) {
                Aba<GlobalPointer> first = head.readAba();
                GlobalPointer firstNode = Objects.requireNonNull(first.object());
                Aba<GlobalPointer> last = tail.readAba();
                GlobalPointer next = link(firstNode).read();
                if (next == null) {
                    return null;
                }
                if (isBehind(first, last)) {
                    tail.compareAndSwapAba(last, next);
                    continue;
                }
                Content<T> content = nodes.read(next);
                if (head.compareAndSwapAba(first, next)) {
                    dispose(token, firstNode);
                    // Last: a value that cannot be decoded here is not lost, and does not keep others from the next
                    // one.
                    return content.value();
                }
            }
        }
    }

    /** Returns true if the head must not go on: it would leave the tail behind, at a node that is about to be freed. */
    boolean isBehind(Aba<GlobalPointer> first, Aba<GlobalPointer> last) {
        return Objects.equals(first.object(), last.object());
    }

    void dispose(Token token, GlobalPointer node) {
        nodes.retireAfterPop(token, node);
    }

    final @Nullable T peek(Token token) {
        try (Pin _ = token.pin()) {
            GlobalPointer next = link(Objects.requireNonNull(head.read())).read();
            return next == null ? null : nodes.read(next).value();
        }
    }
}
