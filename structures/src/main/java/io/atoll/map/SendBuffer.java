package io.atoll.map;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The entries that a {@link HashMapBuffer} has for one owner and has not sent. One message is being filled. As long as
 * nothing may be sent, there are also full ones. All together they are at most as many as the owner's queue has room
 * for.
 */
final class SendBuffer<K, V> {

    private final Entries<K, V> entries;
    private final long messages;
    private final int messageSize;
    private final long messageBytes;
    private final Deque<Message> full = new ArrayDeque<>();
    private Message last;

    /**
     * @param messages that the owner's queue has room for
     * @param messageSize entries of a message
     * @param messageBytes of a message that is not too large for the owner's queue
     */
    SendBuffer(Entries<K, V> entries, long messages, int messageSize, long messageBytes) {
        this.entries = entries;
        this.messages = messages;
        this.messageSize = messageSize;
        this.messageBytes = messageBytes;
        this.last = new Message(messageSize, messageBytes);
    }

    /** Adds an entry to the message that is being filled. Returns false if that has no room for it. */
    boolean append(K key, V value) {
        return entries.append(key, value, last);
    }

    /**
     * Begins another message, large enough for this entry. Returns false if there are as many messages as the owner's
     * queue has room for.
     */
    boolean appendBehind(K key, V value) {
        if (full.size() + 1 >= messages) {
            return false;
        }
        Message next = new Message(messageSize, messageBytes);
        for (long bytes = 2 * messageBytes; !entries.append(key, value, next); bytes *= 2) {
            next = new Message(messageSize, bytes);
        }
        full.addLast(last);
        last = next;
        return true;
    }

    /** Hands out all messages, in their order. If that fails, what was not sent is still here. */
    void send(Consumer<Message> sending) {
        while (!full.isEmpty()) {
            sending.accept(full.getFirst());
            full.removeFirst();
        }
        if (last.count() > 0) {
            sending.accept(last);
            if (fitsIntoQueue(last)) {
                last.clear();
            } else {
                last = new Message(messageSize, messageBytes);
            }
        }
    }

    /** Hands out all entries, and has none then. */
    void giveUp(BiConsumer<? super K, ? super V> visitor) {
        send(message -> message.showAll((words, position) -> entries.decode(words, position, visitor)));
    }

    boolean fitsIntoQueue(Message message) {
        return message.words().byteSize() == messageBytes;
    }

    /** Returns the number of entries. */
    long count() {
        return full.stream().mapToLong(Message::count).sum() + last.count();
    }
}
