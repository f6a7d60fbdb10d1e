package io.atoll.spring.autoconfigure.property;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;

/** Nothing reads the property. */
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

    /** Where it is set, if that is known. */
    public Optional<String> origin() {
        return Optional.ofNullable(origin);
    }

    /** The name that was meant, most likely. */
    public Optional<String> nearest() {
        return Optional.ofNullable(nearest);
    }
}
