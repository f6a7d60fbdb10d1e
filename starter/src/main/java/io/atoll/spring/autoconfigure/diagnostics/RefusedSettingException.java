package io.atoll.spring.autoconfigure.diagnostics;

/** A property cannot have the value that it has. The value is not shown: it may be a secret. */
public final class RefusedSettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String reason;
    private final String action;

    /** @param action what to change, a sentence */
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
