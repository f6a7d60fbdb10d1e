package io.atoll.linked;

import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.failure.Aftermath;
import io.atoll.linked.Nodes.Content;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.StackRoom;
import org.jspecify.annotations.Nullable;

/*
 * A list of nodes, its first one in a protected atomic object (Treiber 1986; Dewan and Jenkins, listing 1).
 *
 * A pop is right for this reason: the link that it has read from the first node is still that node's when it takes the
 * node off. Nodes do not change once they are linked. So it is enough that the same node has been the first one all the
 * time. The object's count says so. The pin says so, too: a node that is popped is not used again while a thread is
 * pinned that may have seen it. Either would do, except that the count comes round. Both cost nothing more.
 *
 * If a rank dies between the pop of a node and its retirement, this node is lost. The same goes for a rank that dies
 * between the creation of a node and its link.
 */
/** The protocol of {@link LinkedStack}. */
class TreiberStack<T> {

    final AtomicObject<GlobalPointer> first;
    private final EpochManager epochs;
    private final Nodes<T> nodes;

    TreiberStack(AtomicObject<GlobalPointer> first, Nodes<T> nodes, EpochManager epochs) {
        this.first = first;
        this.nodes = nodes;
        this.epochs = epochs;
    }

    final EpochManager epochs() {
        return epochs;
    }

    final void push(T value) {
        StackRoom.require();
        Aba<GlobalPointer> top = first.readAba();
        GlobalPointer node = create(value, word(top.object()));
        while (!isPushed(top, node)) {
            top = linkToTop(node);
        }
    }

    private Aba<GlobalPointer> linkToTop(GlobalPointer node) {
        try {
            Aba<GlobalPointer> top = first.readAba();
            nodes.link(node, word(top.object()));
            return top;
        } catch (VirtualMachineError | LinkageError struck) {
            nodes.discardAfterError(node);
            throw struck;
        }
    }

    /**
     * Puts the node on top, unless another one is on top by now. If this throws an error, it has given the node back,
     * provided that no other thread knows it.
     */
    private boolean isPushed(Aba<GlobalPointer> top, GlobalPointer node) {
        try {
            return swing(top, node);
        } catch (VirtualMachineError | LinkageError struck) {
            Aba<GlobalPointer> now = first.readAba();
            if (node.equals(now.object())) {
                Aftermath.warn("a value was pushed", struck);
                return true;
            }
            // If the fabric does not execute at once, other threads may have popped it already, or pushed on top.
            if (nodes.executesAtOnce() || now.equals(top)) {
                nodes.discardAfterError(node);
            }
            throw struck;
        }
    }

    final @Nullable T pop(Token token) {
        try (Pin _ = token.pin()) {
            Aba<GlobalPointer> top = first.readAba();
            while (top.object() != null) {
                Content<T> content = nodes.read(top.object());
                if (swing(top, pointer(content.link()))) {
                    dispose(token, top.object());
                    // Last: a value that cannot be decoded here is not lost with its node.
                    return content.value();
                }
                top = first.readAba();
            }
            return null;
        }
    }

    final @Nullable T peek(Token token) {
        try (Pin _ = token.pin()) {
            GlobalPointer top = first.read();
            return top == null ? null : nodes.read(top).value();
        }
    }

    GlobalPointer create(T value, long link) {
        return nodes.create(value, link);
    }

    boolean swing(Aba<GlobalPointer> top, @Nullable GlobalPointer node) {
        return first.compareAndSwapAba(top, node);
    }

    void dispose(Token token, GlobalPointer node) {
        nodes.retireAfterPop(token, node);
    }

    private static long word(@Nullable GlobalPointer pointer) {
        return pointer == null ? 0 : pointer.toWord();
    }

    private static @Nullable GlobalPointer pointer(long word) {
        return word == 0 ? null : GlobalPointer.fromWord(word);
    }
}
