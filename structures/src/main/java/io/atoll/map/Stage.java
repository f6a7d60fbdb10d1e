package io.atoll.map;

import io.atoll.map.entry.Entries;
import io.atoll.map.entry.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What a {@link HashMapBuffer} has for one owner and has not sent: a message that is filled, and, as long as nothing may be sent, others that are full.
 */
final class Stage<K, V> {

    private final Entries<K, V> entries;
    private final int messageSize;
    private final long messageBytes;
    private final Deque<Message> full = new ArrayDeque<>();
    private Message last;

    /**
     * @param messageSize entries of a message
     * @param messageBytes of a message that is not too large for the owner's queue
     */
    Stage(Entries<K, V> entries, int messageSize, long messageBytes) {
        this.entries = entries;
        this.messageSize = messageSize;
        this.messageBytes = messageBytes;
        this.last = new Message(messageSize, messageBytes);
    }

    /** False if the message that is filled has no room for it. */
    boolean append(K key, V value) {
        return entries.append(key, value, last);
    }

    /** Begins another message, as large as it takes. */
    void appendBehind(K key, V value) {
        Message next = new Message(messageSize, messageBytes);
        for (long bytes = 2 * messageBytes; !entries.append(key, value, next); bytes *= 2) {
            next = new Message(messageSize, bytes);
        }
        full.addLast(last);
        last = next;
    }

    /** Hands out all messages, in their order. Where that fails, what was not sent is still here. */
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

    boolean fitsIntoQueue(Message message) {
        return message.words().byteSize() == messageBytes;
    }

    /** How many entries. */
    long count() {
        return full.stream().mapToLong(Message::count).sum() + last.count();
    }
}
