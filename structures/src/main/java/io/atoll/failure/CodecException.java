package io.atoll.failure;

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
    public CodecException(String reason, String structure, String type, Throwable cause) {
        super(reason + ": structure=" + structure + " type=" + type, cause);
        this.structure = structure;
        this.type = type;
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
