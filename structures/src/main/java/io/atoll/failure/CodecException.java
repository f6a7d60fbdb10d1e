package io.atoll.failure;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A value has no bytes that may be stored, or stored bytes are not those of a value. */
public final class CodecException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String structure;
    private final String type;
    private final byte[][] encoded;

    /**
     * @param reason what is wrong
     * @param structure the name of the one whose key, value or element it is
     * @param type the codec's name for the type
     */
    private CodecException(String reason, String structure, String type, byte[][] encoded,
            @Nullable Throwable cause) {
        super(reason + ": structure=" + structure + " type=" + type, cause);
        this.structure = structure;
        this.type = type;
        this.encoded = encoded;
    }

    /** What becomes of a failure to encode a value: one that names a structure already stays what it is, and so does that of no value at all. */
    public static RuntimeException storing(@Nullable Object value, String structure, String type, Throwable failure) {
        rethrowUnlessOfTheCodec(failure);
        return failure instanceof RuntimeException told && (value == null || told instanceof CodecException)
                ? told
                : new CodecException(
                        "a value of class " + nameOfClass(value) + " cannot be stored (" + failure.getMessage()
                                + ")",
                        structure, type, new byte[0][], failure);
    }

    /**
     * What becomes of a failure to decode a value: as {@link #storing}. Where memory or stack is used up, the error itself is thrown. It carries this exception as a
     * suppressed one: what a pop has taken must not be lost.
     *
     * @param encoded what could not be decoded, as it is stored
     */
    public static RuntimeException reading(String structure, String type, byte[] encoded, Throwable failure) {
        if (failure instanceof CodecException told) {
            return told;
        }
        var unread = new CodecException("what is stored cannot be read (" + failure.getMessage() + ")", structure,
                type, new byte[][]{encoded}, saysNothingOfTheValue(failure) ? null : failure);
        if (saysNothingOfTheValue(failure)) {
            failure.addSuppressed(unread);
        }
        rethrowUnlessOfTheCodec(failure);
        return unread;
    }

    private static void rethrowUnlessOfTheCodec(Throwable failure) {
        if (saysNothingOfTheValue(failure)) {
            throw (VirtualMachineError) failure;
        }
    }

    /** Returns whether memory or stack is used up. Other errors are the codec's: a failed assertion of a constructor, a class that is missing. */
    private static boolean saysNothingOfTheValue(Throwable failure) {
        return failure instanceof VirtualMachineError;
    }

    private static String nameOfClass(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }

    /**
     * Makes a failure to decode tell of all elements that an operation has taken out of its structure, in this order, and hands out none of them.
     *
     * @param failure of a codec that names its structure: what {@link #reading} returned, or threw
     */
    public static RuntimeException ofElements(Throwable failure, List<byte[]> taken) {
        if (failure instanceof CodecException one) {
            return one.ofElements(taken);
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (suppressed instanceof CodecException one) {
                failure.addSuppressed(one.ofElements(taken));
            }
        }
        rethrowUnlessOfTheCodec(failure);
        throw new IllegalArgumentException("not of a codec that names its structure", failure);
    }

    private CodecException ofElements(List<byte[]> taken) {
        var whole = new CodecException("what is stored cannot be read (" + reason() + "), and none of the "
                + taken.size() + " elements that were taken is handed out, see encoded()", structure, type,
                taken.toArray(byte[][]::new), getCause());
        whole.setStackTrace(getStackTrace());
        return whole;
    }

    private @Nullable String reason() {
        return getCause() == null ? getMessage() : getCause().getMessage();
    }

    /** The structure whose key, value or element it is. */
    @Override
    public Optional<String> structure() {
        return Optional.of(structure);
    }

    /** What the keys, values or elements are, as the structure's configuration says. */
    public String type() {
        return type;
    }

    /**
     * What could not be read, as it is stored: the elements that a pop has taken, in their order, else the one key or value. Empty where something could not be stored. An element that a pop has taken is
     * nowhere else: who does not want to lose it keeps this, and pushes it again where it can be read.
     */
    public List<byte[]> encoded() {
        return List.of(encoded);
    }
}
