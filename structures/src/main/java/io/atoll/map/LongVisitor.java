package io.atoll.map;

/** Takes an entry. */
@FunctionalInterface
interface LongVisitor {
    void visit(long key, long value);
}
