package io.atoll.spring.state.overview;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How bad a problem is, the worst first. */
public enum Severity {
    /** Operations fail or stand still. */
    CRITICAL,
    /** Operations will fail or are slow, unless a user acts. */
    WARNING,
    /** Nothing is known to be wrong. */
    GOOD;

    /** Returns the name that answers use. */
    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
