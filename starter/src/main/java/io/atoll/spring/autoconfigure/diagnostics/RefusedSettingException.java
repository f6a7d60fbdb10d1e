package io.atoll.spring.autoconfigure.diagnostics;

/** A property has a value that it cannot have. The message does not show the value, since it may be a secret. */
public final class RefusedSettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String reason;
    private final String action;

    /** @param action what the user has to change, as a sentence */
    public RefusedSettingException(String property, String reason, String action) {
        super("a property is refused: name=" + property + " reason=[" + reason + "]");
        this.property = property;
        this.reason = reason;
        this.action = action;
    }

    public String property() {
        return property;
    }

    public String reason() {
        return reason;
    }

    public String action() {
        return action;
    }
}
