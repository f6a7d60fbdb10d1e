package io.atoll.spring.autoconfigure.property;

/** A property that something needs has no value. */
public final class MissingPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final String expected;

    /** @param expected what its value is, as in a sentence */
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
