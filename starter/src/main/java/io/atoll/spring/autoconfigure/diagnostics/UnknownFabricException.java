package io.atoll.spring.autoconfigure.diagnostics;

import java.util.List;

/** The properties ask for a fabric that does not exist. */
public final class UnknownFabricException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String type;
    private final transient List<String> known;

    public UnknownFabricException(String type, String... known) {
        super("no such fabric: type=" + type + " known=" + List.of(known));
        this.type = type;
        this.known = List.of(known);
    }

    public String type() {
        return type;
    }

    public List<String> known() {
        return known;
    }
}
