package io.atoll.failure;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A collection refused an element that a queue had given up for it. */
public final class DrainException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String structure;
    private final transient @Nullable List<?> elements;

    private DrainException(String structure, List<?> elements, Throwable refusal) {
        super("the collection refused an element, and this one and those behind it are in neither, take them from"
                + " elements(): structure=" + structure + " elements=" + elements.size(), refusal);
        this.structure = structure;
        this.elements = List.copyOf(elements);
    }

    /**
     * Returns the exception for a collection's refusal. If memory or stack is used up, the error itself is thrown, and
     * carries this exception as a suppressed one.
     *
     * @param structure the queue's name
     * @param elements the elements that are in neither of the two, in the queue's order
     */
    public static DrainException of(String structure, List<?> elements, Throwable refusal) {
        var untaken = new DrainException(structure, elements, refusal);
        if (refusal instanceof VirtualMachineError error) {
            error.addSuppressed(untaken);
            throw error;
        }
        return untaken;
    }

    /** Returns the name of the queue. */
    @Override
    public Optional<String> structure() {
        return Optional.of(structure);
    }

    /**
     * Returns the elements that the queue has given up and the collection has not taken, in the queue's order. They are
     * nowhere else: a caller that does not want to lose them keeps this list. It is empty after the exception has been
     * serialized.
     */
    public List<?> elements() {
        return elements == null ? List.of() : elements;
    }
}
