package io.atoll.failure;

import java.util.Optional;

/** A structure of that name exists with another configuration. */
public final class ConfigurationMismatchException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String structure;
    private final String existing;
    private final String asked;

    public ConfigurationMismatchException(String name, String existing, String asked) {
        this("a structure of this name exists with another configuration", name, existing, asked);
    }

    /** @param reason what must agree, and where it is configured */
    public ConfigurationMismatchException(String reason, String name, String existing, String asked) {
        super(reason + ": structure=" + name + " existing=[" + existing + "] asked=[" + asked + "]");
        this.structure = name;
        this.existing = existing;
        this.asked = asked;
    }

    @Override
    public Optional<String> structure() {
        return Optional.of(structure);
    }

    public String existing() {
        return existing;
    }

    public String asked() {
        return asked;
    }
}
