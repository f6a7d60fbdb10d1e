package io.atoll.map;

import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The sizes that a {@link HashMapBuffer} is opened with, the same at all ranks. In the directory they stand under the
 * buffer's name. Each rank's block there has the rank's queue, and a word that is set once the rank has opened the
 * buffer:
 * <pre>
 *   | queue of messages to this rank | opened |
 * </pre>
 * So the directory makes all queues and the agreement, or none of them: where a segment is full, the name is free for
 * other sizes.
 */
record BufferSizes(int queueSize, int messageSize) {

    private static final String KIND = "map-buffer ";
    private static final String QUEUE = " queueBytes=";
    private static final long OPENED = 1;

    /** Returns the sizes of a buffer that a directory lists. Returns null if its configuration does not have them. */
    static @Nullable BufferSizes of(NamedStructure buffer) {
        OptionalLong queueSize = buffer.number("queueSize");
        OptionalLong messageSize = buffer.number("messageSize");
        return queueSize.isEmpty() || messageSize.isEmpty()
                ? null
                : new BufferSizes((int) queueSize.getAsLong(), (int) messageSize.getAsLong());
    }

    void check(String map) {
        if (messageSize < 1 || queueSize < messageSize) {
            throw new IllegalArgumentException("a message has an entry at least, and a queue room for a message: map="
                    + map + " " + this);
        }
    }

    /**
     * Returns how many messages a rank's queue has room for. It has room for one more of each rank, because the last
     * one before a flush need not be full. It has none for ranks that the world does not have yet: each queue would
     * take a message for each of them.
     */
    long messages(int ranks) {
        return Math.ceilDiv(queueSize, messageSize) + ranks;
    }

    /**
     * Attaches to the buffer's blocks, or creates them. Tells other ranks that this one has opened it.
     *
     * @param queueBytes of each rank's queue
     * @throws ConfigurationMismatchException when other ranks have opened the buffer with other sizes
     * @throws io.atoll.failure.SegmentFullException when a segment has no room; then no rank has agreed to the sizes
     */
    void open(Participant self, String buffer, long queueBytes) {
        long[] queues;
        try {
            queues = find(self, buffer, queueBytes);
        } catch (ConfigurationMismatchException different) {
            String existing = different.existing().replace(KIND, "");
            if (existing.startsWith(this + QUEUE)) {
                throw different; // the queues differ although the sizes do not
            }
            throw refusal(buffer, self.rank(), existing.split(QUEUE)[0] + " ranks=" + opened(self, buffer));
        }
        self.endpoint().writeWord(self.rank(), queues[self.rank()] + queueBytes, OPENED);
    }

    /** As {@link #open}, but tells nobody. Returns where the queue of each rank lies in its segment. */
    long[] find(Participant self, String buffer, long queueBytes) {
        return self.directory()
                .open(buffer, KIND + this + QUEUE + queueBytes, _ -> queueBytes + Layouts.WORD, OnLoss.FAIL,
                        Replacement.zeroed(_ -> true));
    }

    /** @param others the sizes that are there, and at which ranks */
    ConfigurationMismatchException refusal(String buffer, int rank, String others) {
        return new ConfigurationMismatchException("all ranks give DistributedMap.buffer the same sizes", buffer, others,
                this + " rank=" + rank);
    }

    private static List<Integer> opened(Participant self, String buffer) {
        return IntStream.range(0, self.size()).filter(rank -> hasOpened(self, buffer, rank)).boxed().toList();
    }

    private static boolean hasOpened(Participant self, String buffer, int rank) {
        try {
            return self.directory()
                    .structures(rank)
                    .stream()
                    .filter(structure -> structure.name().equals(buffer))
                    .anyMatch(structure -> self.endpoint().readWord(rank, wordOf(structure)) == OPENED);
        } catch (RankUnreachableException gone) {
            return false;
        }
    }

    /** Returns where the word lies in a block, whatever sizes the buffer has. */
    private static long wordOf(NamedStructure buffer) {
        return buffer.offset() + buffer.bytes() - Layouts.WORD;
    }

    /** Shows the sizes as callers give them. */
    @Override
    public String toString() {
        return "queueSize=" + queueSize + " messageSize=" + messageSize;
    }
}
