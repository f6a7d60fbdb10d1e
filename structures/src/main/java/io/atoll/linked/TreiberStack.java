package io.atoll.linked;

import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.Aftermath;
import io.atoll.linked.Nodes.Content;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.StackRoom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * A list of nodes, its first one in a protected atomic object (Treiber 1986; Dewan and Jenkins, listing 1).
 *
 * A pop is right for this reason. The link that it has read from the first node is still that node's when it takes the
 * node off. Nodes do not change once they are linked. So it is enough that the same node has been the first one all the
 * time. The object's count says so. The pin says so, too: a node that is popped is not used again while a thread is
 * pinned that may have seen it. Either would do, except that the count comes round. Both cost nothing more.
 *
 * Over a network an operation begins with what this process last saw on top. A push links its node to that, and the
 * exchange tells if it still is on top. It may have been away meanwhile, since only the link of the new node matters. A
 * pop reads (1) what is on top and (2) the guessed node. Only if they are the same, what it has read of the node
 * counts.
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
        Aba<GlobalPointer> top = expectedTop();
        GlobalPointer node = create(value, word(top.object()));
        while (!isPushed(top, node)) {
            top = linkToTop(node);
        }
    }

    /** Where verbs cross a network, returns a guess: an exchange that fails tells what is on top, as a read does. */
    private Aba<GlobalPointer> expectedTop() {
        return nodes.executesAtOnce() ? first.readAba() : first.guessAba();
    }

    private Aba<GlobalPointer> linkToTop(GlobalPointer node) {
        try {
            Aba<GlobalPointer> top = expectedTop();
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
            while (true) {
                Top<T> top = top();
                Content<T> content = top.content;
                if (content == null) {
                    return null;
                }
                if (swing(top.word, pointer(content.link()))) {
                    dispose(token, Objects.requireNonNull(top.word.object()));
                    // Last: a value that cannot be decoded here is not lost with its node.
                    return content.value();
                }
            }
        }
    }

    /** @param content of the node on top, null if there is none */
    private record Top<T>(Aba<GlobalPointer> word, @Nullable Content<T> content) {}

    /** Returns what is on top. Called under a pin. Cost: 2 R, in one round trip if this process knows the word. */
    private Top<T> top() {
        GlobalPointer guess = nodes.goInBatches() && nodes.readsInOrder() ? first.guessAba().object() : null;
        if (guess == null) {
            return of(first.readAba());
        }
        Batch batch = nodes.batch();
        first.read(batch, 0); // (1)
        // (2) after (1), in the order of the batch: if the node is on top, it is not freed under the pin.
        nodes.read(batch, guess, Layouts.WORD);
        batch.complete();
        Aba<GlobalPointer> top = first.aba(batch, 0);
        return guess.equals(top.object()) ? new Top<>(top, nodes.content(batch, Layouts.WORD)) : of(top);
    }

    private Top<T> of(Aba<GlobalPointer> top) {
        GlobalPointer node = top.object();
        return new Top<>(top, node == null ? null : nodes.read(node));
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
