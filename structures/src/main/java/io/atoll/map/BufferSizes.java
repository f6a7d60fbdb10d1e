package io.atoll.map;

import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The sizes that a {@link HashMapBuffer} is opened with, the same at all ranks. In the directory they stand under the
 * buffer's name. Each rank's block there is one word, which is set once the rank has opened the buffer.
 */
record BufferSizes(int queueSize, int messageSize) {

    private static final String KIND = "map-buffer ";
    private static final long OPENED = 1;

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

    /** @throws ConfigurationMismatchException when other ranks have opened the buffer with other sizes */
    void agree(Participant self, String buffer) {
        long[] blocks;
        try {
            blocks = self.directory()
                    .open(buffer, KIND + this, _ -> Layouts.WORD, OnLoss.FAIL, Replacement.zeroed(_ -> true));
        } catch (ConfigurationMismatchException different) {
            throw refusal(buffer, self.rank(),
                    different.existing().replace(KIND, "") + " ranks=" + opened(self, buffer));
        }
        self.endpoint().writeWord(self.rank(), blocks[self.rank()], OPENED);
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
                    .anyMatch(structure -> self.endpoint().readWord(rank, structure.offset()) == OPENED);
        } catch (RankUnreachableException gone) {
            return false;
        }
    }

    /** Shows the sizes as callers give them. */
    @Override
    public String toString() {
        return "queueSize=" + queueSize + " messageSize=" + messageSize;
    }
}
