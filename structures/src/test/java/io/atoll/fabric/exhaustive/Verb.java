package io.atoll.fabric.exhaustive;

/**
 * One step of a process.
 *
 * @param index of the first word in the segment
 * @param operands what is written, or what an atomic is given
 */
record Verb(Kind kind, int index, int words, Words operands) {

    enum Kind {
        READ, WRITE, COMPARE_AND_EXCHANGE, GET_AND_ADD
    }

    /** What the verb returns: what was there. */
    Words found(Words memory) {
        return memory.slice(index, words);
    }

    Words applyTo(Words memory) {
        return switch (kind) {
            case READ -> memory;
            case WRITE -> memory.with(index, operands);
            case COMPARE_AND_EXCHANGE -> memory.get(index) == operands.get(0)
                    ? memory.with(index, operands.slice(1, 1))
                    : memory;
            case GET_AND_ADD -> memory.with(index, new Words(memory.get(index) + operands.get(0)));
        };
    }
}
