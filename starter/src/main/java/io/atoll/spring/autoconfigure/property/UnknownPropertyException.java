package io.atoll.spring.autoconfigure.property;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;

/** A property is set that nothing reads. */
public final class UnknownPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final @Nullable String origin;
    private final @Nullable String nearest;

    UnknownPropertyException(ConfigurationProperty property, Optional<String> nearest) {
        super("nothing reads the property: name=" + property.getName());
        this.name = property.getName().toString();
        Origin from = property.getOrigin();
        this.origin = from == null ? null : from.toString();
        this.nearest = nearest.orElse(null);
    }

    public String name() {
        return name;
    }

    /** Returns the place where the property is set, if it is known. */
    public Optional<String> origin() {
        return Optional.ofNullable(origin);
    }

    /** Returns the name that is most likely meant. */
    public Optional<String> nearest() {
        return Optional.ofNullable(nearest);
    }
}
