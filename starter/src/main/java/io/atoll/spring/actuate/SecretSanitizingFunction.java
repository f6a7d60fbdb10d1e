package io.atoll.spring.actuate;

import java.util.List;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Keeps secrets out of the actuator's endpoints, even if the application shows all values. Hides each value under the
 * name of a secret. Also hides any other value that contains a secret, such as an environment variable or a command
 * line.
 */
public final class SecretSanitizingFunction implements SanitizingFunction {

    private static final List<String> NAMES = List.of("atollfabrictcpsecret", "atollfabrictcpprevioussecrets",
            "atollfabricrdmasecret", "atollfabricrdmaprevioussecrets", "atollmembershiphazelcastsecret");

    private final List<String> secrets;

    /** @param secrets the secrets of the application; blank ones are ignored */
    public SecretSanitizingFunction(List<String> secrets) {
        this.secrets = secrets.stream().filter(secret -> !secret.isBlank()).toList();
    }

    @Override
    public SanitizableData apply(SanitizableData data) {
        return isNamed(data.getLowerCaseKey()) || contains(data.getValue()) ? data.withSanitizedValue() : data;
    }

    /** Returns true if the key names a secret, in any spelling. */
    private static boolean isNamed(String key) {
        String letters = key.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        return NAMES.contains(letters);
    }

    private boolean contains(Object value) {
        return value != null && secrets.stream().anyMatch(value.toString()::contains);
    }
}
