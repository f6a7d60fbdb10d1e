package io.atoll.linked;

import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
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
 *
 * Over a network an operation begins with what this process last saw:
 *
 *      push, one batch                              pop, two batches
 *
 *      (1) tail == last?                            (4) read the head
 *           | guards                                (5) read the tail
 *      (2) link of last == nothing? then node       (6) read the link of the node that the head may be
 *           | guards
 *      (3) tail == last? then node                  (7) read the next node
 *                                                   (8) head == first? then next
 *
 * A node that was seen before this pin may have become anything. (1) and (4) tell that it is in the queue now, and so
 * it is not freed under this pin. Hence (1) guards (2), and (6) counts only if (4) has found that node. The link of a
 * node never was anything before it referred to another node, so its word is known, and (2) need not read it.
 */
/** The protocol of {@link LinkedQueue}. */
class MichaelScottQueue<T> {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("head"), // the node whose link leads to the next value
            Layouts.padToCacheLine(Layouts.WORD), //
            Layouts.word("tail"), // the last node, or the one before it
            Layouts.padToCacheLine(Layouts.WORD));

    private static final int NOT_ADDED = -1;

    static final long HEAD = Layouts.offsetOf(LAYOUT, "head");
    static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    static final long BYTES = LAYOUT.byteSize();

    private final Endpoint endpoint;
    private final int host;
    private final AtomicObject<GlobalPointer> head;
    private final AtomicObject<GlobalPointer> tail;
    private final Nodes<T> nodes;
    private final EpochManager epochs;
    private boolean hasBegun; // plain: threads that race for it find the same node

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
     * Gives a queue its first node, unless it has one. A rank that dies in between leaves a head and no tail: the next
     * rank goes on from there. While there is no tail nothing was pushed, so the head still is the first node. Cost: R.
     */
    private void begin() {
        Batch batch = nodes.batch();
        tail.read(batch, 0); // in a batch: what it finds is the first guess
        batch.complete();
        if (tail.aba(batch, 0).object() == null) {
            if (head.read() == null) {
                begin(nodes.createEmpty(0));
            }
            tail.compareAndSwap(null, head.read());
        }
        hasBegun = true;
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
        if (!hasBegun) {
            begin(); // first: if there is no room for a node, nothing is left behind
        }
        GlobalPointer node = nodes.create(value, 0);
        if (!nodes.executesAtOnce()) {
            pushInOneBatch(token, node);
            return;
        }
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

    /** As {@link #push}, where verbs cross a network. Cost: 3 A. */
    private void pushInOneBatch(Token token, GlobalPointer node) {
        boolean isUnknown = true; // unknown to all other threads for certain
        try (Pin _ = token.pin()) {
            Aba<GlobalPointer> last = tail.guessAba();
            if (last.object() == null) {
                last = tail.readAba();
            }
            while (last != null) {
                AtomicObject<GlobalPointer> link = link(Objects.requireNonNull(last.object()));
                Batch batch = nodes.batch();
                isUnknown = false;
                last = linkBehind(batch, last, link, node);
                isUnknown = true;
            }
        } catch (VirtualMachineError | LinkageError struck) {
            if (isUnknown) {
                nodes.discardAfterError(node);
            }
            throw struck;
        }
    }

    /**
     * Links the node behind the last one, and moves the tail on. Returns null if it is linked, else the tail to try
     * again with. If this throws an error and the node is not linked for certain, it has been given back.
     */
    private @Nullable Aba<GlobalPointer> linkBehind(Batch batch, Aba<GlobalPointer> last,
            AtomicObject<GlobalPointer> link, GlobalPointer node) {
        int isLast = NOT_ADDED;
        try {
            Aba<GlobalPointer> nothing = link.guessAba(); // of a new atomic object
            isLast = tail.expectAba(batch, last); // (1)
            batch.guard(isLast);
            int linked = link.compareAndSwapAba(batch, nothing, node); // (2)
            batch.guard(linked);
            tail.compareAndSwapAba(batch, last, node); // (3) may fail: others help on
            batch.complete();
            if (batch.succeeded(linked)) {
                return null;
            }
            if (!batch.succeeded(isLast)) {
                return tail.found(batch, isLast);
            }
            tail.compareAndSwapAba(last, link.found(batch, linked).object());
            return tail.guessAba();
        } catch (VirtualMachineError | LinkageError struck) {
            if (!node.equals(link.read())) {
                nodes.discardAfterError(node);
                throw struck;
            }
            // The answer of (1) comes before that of the read. Without it, what was read may be no link.
            if (isLast == NOT_ADDED || !batch.succeeded(isLast)) {
                Aftermath.warn("a node may stay allocated", struck);
                throw struck;
            }
            Aftermath.warn("a value was pushed", struck);
            return null;
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
                Ends ends = ends();
                GlobalPointer next = ends.next;
                if (next == null) {
                    return null;
                }
                if (isBehind(ends.first, ends.last)) {
                    tail.compareAndSwapAba(ends.last, next);
                    continue;
                }
                Content<T> content = take(ends.first, next);
                if (content != null) {
                    dispose(token, Objects.requireNonNull(ends.first.object()));
                    // Last: a value that cannot be decoded here is not lost, and does not keep others from the next
                    // one.
                    return content.value();
                }
            }
        }
    }

    /**
     * What a pop looks at first.
     *
     * @param first the head
     * @param last the tail, read after the head
     * @param next to which the first node's link leads, null if the queue is empty, or has no node yet
     */
    private record Ends(Aba<GlobalPointer> first, Aba<GlobalPointer> last, @Nullable GlobalPointer next) {}

    /** Called under a pin. Cost: 3 R, in one round trip if this process knows the head. */
    private Ends ends() {
        GlobalPointer guess = nodes.goInBatches() && nodes.readsInOrder() ? head.guessAba().object() : null;
        if (guess == null) {
            Aba<GlobalPointer> first = head.readAba();
            Aba<GlobalPointer> last = tail.readAba();
            return new Ends(first, last, next(first.object()));
        }
        AtomicObject<GlobalPointer> link = link(guess);
        Batch batch = nodes.batch();
        head.read(batch, 0); // (4)
        tail.read(batch, Layouts.WORD); // (5)
        link.read(batch, 2 * Layouts.WORD); // (6)
        batch.complete();
        Aba<GlobalPointer> first = head.aba(batch, 0);
        Aba<GlobalPointer> last = tail.aba(batch, Layouts.WORD);
        return guess.equals(first.object())
                ? new Ends(first, last, link.aba(batch, 2 * Layouts.WORD).object())
                : new Ends(first, last, next(first.object()));
    }

    private @Nullable GlobalPointer next(@Nullable GlobalPointer first) {
        return first == null ? null : link(first).read();
    }

    /** Moves the head to the next node. Returns that node's content, or null if the head has moved already. */
    private @Nullable Content<T> take(Aba<GlobalPointer> first, GlobalPointer next) {
        if (!nodes.goInBatches()) {
            Content<T> content = nodes.read(next);
            return head.compareAndSwapAba(first, next) ? content : null;
        }
        Batch batch = nodes.batch();
        nodes.read(batch, next, 0); // (7) before (8): an error in between takes no value
        int swung = head.compareAndSwapAba(batch, first, next); // (8)
        batch.complete();
        if (!batch.succeeded(swung)) {
            head.found(batch, swung);
            return null;
        }
        return nodes.content(batch, 0);
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
            GlobalPointer next = next(head.read());
            return next == null ? null : nodes.read(next).value();
        }
    }
}
