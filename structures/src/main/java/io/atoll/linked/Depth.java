package io.atoll.linked;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.TaggedPointer;
import java.util.Map;

/**
 * How many nodes a linked structure has, for those who look on without being pinned. The word that leads to the first node counts its changes: as long as it is the same, no node behind it has
 * been unlinked, so what was read of a node counts only if that word is looked at again and has not changed.
 *
 * @param host in whose segment the nodes are
 * @param first where the word is that leads to the first one
 * @param countingLinks whether links count their changes, too
 */
record Depth(Endpoint endpoint, int host, long first, boolean countingLinks) {

    /** Nodes that are counted; whether there are more is not asked. */
    static final int MOST = 1_000;

    private static final int ATTEMPTS = 4;

    /**
     * The depth, exact at some moment; or that it was so much at least, where there are more nodes than are counted, or others unlink nodes all the time. Cost: 2 R for each node, at most 1,000 of
     * them.
     *
     * @param empty nodes at the beginning that have no value
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
     * @param nodes that were there
     * @param whole whether those were all
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
