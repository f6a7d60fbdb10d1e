package io.atoll.failure;

/** A structure of that name exists with another configuration. */
public final class ConfigurationMismatchException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String existing;
    private final String asked;

    public ConfigurationMismatchException(String name, String existing, String asked) {
        this("a structure of this name exists with another configuration", name, existing, asked);
    }

    /** @param reason what must agree, and where it is said */
    public ConfigurationMismatchException(String reason, String name, String existing, String asked) {
        super(reason + ": name=" + name + " existing=[" + existing + "] asked=[" + asked + "]");
        this.existing = existing;
        this.asked = asked;
    }

    public String existing() {
        return existing;
    }

    public String asked() {
        return asked;
    }
}
