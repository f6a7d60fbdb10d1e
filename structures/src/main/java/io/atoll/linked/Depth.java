package io.atoll.linked;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.TaggedPointer;
import java.util.Map;

/**
 * Counts the nodes of a linked structure, for monitoring, without a pin. The word that leads to the first node counts
 * its changes. While it is the same, no node behind it has been unlinked. So what was read of a node counts only if
 * this word is read again and has not changed.
 *
 * @param host the rank in whose segment the nodes are
 * @param first where the word is that leads to the first node
 * @param countingLinks true if links count their changes, too
 */
record Depth(Endpoint endpoint, int host, long first, boolean countingLinks) {

    /** The highest number of nodes that are counted. The walk does not find out if there are more. */
    static final int MOST = 1_000;

    private static final int ATTEMPTS = 4;

    /**
     * Returns the depth, exact at some moment. Returns a lower bound if there are more nodes than it counts, or if
     * others unlink nodes all the time. Cost: 2 R for each node, at most 1,000 of them.
     *
     * @param empty the number of nodes at the beginning that have no value
     */
    public Map<String, Double> figures(int empty) {
        long deepest = empty;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Walk walk = walk();
            if (walk.whole) {
                return Map.of("depth", (double) Math.max(walk.nodes - empty, 0));
            }
            deepest = Math.max(deepest, walk.nodes);
            if (walk.nodes == MOST) {
                break;
            }
        }
        return Map.of("depth at least", (double) deepest - empty);
    }

    /**
     * @param nodes the number of nodes that were there
     * @param whole true if those were all
     */
    private record Walk(long nodes, boolean whole) {}

    private Walk walk() {
        long word = endpoint.readWord(host, first);
        long node = offset(word, true);
        long nodes = 0;
        while (node != 0 && nodes < MOST) {
            long link = endpoint.readWord(host, node + Nodes.LINK);
            nodes++;
            if (endpoint.readWord(host, first) != word) {
                return new Walk(nodes, false);
            }
            node = offset(link, countingLinks);
        }
        return new Walk(nodes, node == 0);
    }

    private static long offset(long word, boolean counting) {
        return GlobalPointer.offsetOf(counting ? TaggedPointer.pointer(word) : word);
    }
}
