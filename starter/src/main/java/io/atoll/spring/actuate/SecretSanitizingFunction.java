package io.atoll.spring.actuate;

import java.util.List;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Keeps secrets out of the actuator's endpoints, also where an application shows all values: what stands under the name
 * of a secret, and whatever else contains one, as an environment variable or a command line.
 */
public final class SecretSanitizingFunction implements SanitizingFunction {

    private static final List<String> NAMES = List.of("atollfabrictcpsecret", "atollfabrictcpprevioussecrets",
            "atollfabricverbssecret", "atollfabricverbsprevioussecrets", "atollmembershiphazelcastsecret");

    private final List<String> secrets;

    /** @param secrets as the application has them; blank ones are none */
    public SecretSanitizingFunction(List<String> secrets) {
        this.secrets = secrets.stream().filter(secret -> !secret.isBlank()).toList();
    }

    @Override
    public SanitizableData apply(SanitizableData data) {
        return isNamed(data.getLowerCaseKey()) || contains(data.getValue()) ? data.withSanitizedValue() : data;
    }

    /** However the name is written. */
    private static boolean isNamed(String key) {
        String letters = key.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        return NAMES.contains(letters);
    }

    private boolean contains(Object value) {
        return value != null && secrets.stream().anyMatch(value.toString()::contains);
    }
}
