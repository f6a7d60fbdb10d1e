package io.atoll.map;

/** Takes an entry. */
@FunctionalInterface
public interface LongVisitor {
    void visit(long key, long value);
}
