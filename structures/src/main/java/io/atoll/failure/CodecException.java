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
     * @param structure the name of the structure that the key, value or element belongs to
     * @param type the codec's name for the type
     */
    private CodecException(String reason, String structure, String type, byte[][] encoded,
            @Nullable Throwable cause) {
        super(reason + ": structure=" + structure + " type=" + type, cause);
        this.structure = structure;
        this.type = type;
        this.encoded = encoded;
    }

    /**
     * Returns the exception for a failure to encode a value. A failure that already names a structure is returned
     * unchanged, and so is the failure of a null value.
     */
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
     * Returns the exception for a failure to decode a value, as {@link #storing} does. If memory or stack is used up,
     * the error itself is thrown. It carries this exception as a suppressed one, so that an element which a pop has
     * taken is not lost.
     *
     * @param encoded the bytes that could not be decoded, as they are stored
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

    /**
     * Returns true if memory or stack is used up. Other errors are the codec's: a failed assertion of a constructor, a
     * class that is missing.
     */
    private static boolean saysNothingOfTheValue(Throwable failure) {
        return failure instanceof VirtualMachineError;
    }

    private static String nameOfClass(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }

    /**
     * Adds to a failure to decode all elements that an operation has taken out of its structure, in this order. The
     * operation hands out none of them.
     *
     * @param failure of a codec that names its structure: the failure that {@link #reading} returned or threw
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

    /** Returns the structure that the key, value or element belongs to. */
    @Override
    public Optional<String> structure() {
        return Optional.of(structure);
    }

    /** Returns the type of the keys, values or elements, as the structure's configuration says. */
    public String type() {
        return type;
    }

    /**
     * Returns the bytes that could not be read, as they are stored. They are the elements that a pop has taken, in
     * their order, or else the one key or value. Returns an empty list if a value could not be stored. An element that
     * a pop has taken is nowhere else. To keep it, the caller keeps these bytes, and pushes them again where they can
     * be read.
     */
    public List<byte[]> encoded() {
        return List.of(encoded);
    }
}
