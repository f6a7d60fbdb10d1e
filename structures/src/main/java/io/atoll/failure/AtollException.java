package io.atoll.failure;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something outside the caller's control failed. A caller's mistake is an {@link IllegalArgumentException} or an
 * {@link IllegalStateException} instead, and an expected outcome is a value.
 */
public abstract sealed class AtollException extends RuntimeException
        permits FabricException, JoinRefusedException, MissingRanksException, ConfigurationMismatchException,
        TableFullException, CodecException, DrainException {

    private static final long serialVersionUID = 1L;

    AtollException(String message) {
        super(message);
    }

    AtollException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns the name of the structure whose operation failed. Returns empty if no structure is concerned, or if it is
     * not known.
     */
    public Optional<String> structure() {
        return Optional.empty();
    }
}
