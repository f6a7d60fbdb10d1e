package io.atoll.failure;

import org.jspecify.annotations.Nullable;

/** A value has no bytes that may be stored, or stored bytes are not those of a value. */
public final class CodecException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String structure;
    private final String type;

    /**
     * @param reason what is wrong
     * @param structure the name of the one whose key, value or element it is
     * @param type the codec's name for the type
     */
    private CodecException(String reason, String structure, String type, Throwable cause) {
        super(reason + ": structure=" + structure + " type=" + type, cause);
        this.structure = structure;
        this.type = type;
    }

    /** What becomes of a failure to encode a value: one that names a structure already stays what it is, and so does that of no value at all. */
    public static RuntimeException storing(@Nullable Object value, String structure, String type, Throwable failure) {
        return failure instanceof RuntimeException told && (value == null || told instanceof CodecException)
                ? told
                : new CodecException("a value of class " + nameOfClass(value) + " cannot be stored ("
                        + failure.getMessage() + ")", structure, type, failure);
    }

    /** What becomes of a failure to decode a value: as {@link #storing}. */
    public static RuntimeException reading(String structure, String type, Throwable failure) {
        return failure instanceof CodecException told
                ? told
                : new CodecException("what is stored cannot be read (" + failure.getMessage() + ")", structure, type,
                        failure);
    }

    private static String nameOfClass(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }

    /** The structure whose key, value or element it is. */
    public String structure() {
        return structure;
    }

    /** What the keys, values or elements are, as the structure's configuration says. */
    public String type() {
        return type;
    }
}
