package io.atoll.map.longs;

/** Takes an entry. */
@FunctionalInterface
public interface LongVisitor {
    void visit(long key, long value);
}
