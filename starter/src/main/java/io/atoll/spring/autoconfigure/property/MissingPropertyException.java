package io.atoll.spring.autoconfigure.property;

/** A required property has no value. */
public final class MissingPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final String expected;

    /** @param expected what the value should be, in words that fit into a sentence */
    public MissingPropertyException(String name, String expected) {
        super("a property is missing: name=" + name + " expected=" + expected);
        this.name = name;
        this.expected = expected;
    }

    public String name() {
        return name;
    }

    String expected() {
        return expected;
    }
}
