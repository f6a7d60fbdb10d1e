package io.atoll.spring.state.overview;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How bad something is, the worst first. */
public enum Severity {
    /** Operations fail or stand still. */
    CRITICAL,
    /** They will, or are slow, unless somebody acts. */
    WARNING,
    /** Nothing is known to be wrong. */
    GOOD;

    /** As answers name it. */
    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
