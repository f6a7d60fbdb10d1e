package io.atoll.spring.autoconfigure;

import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds placeholders in the values of properties. Spring leaves a placeholder as it is if the property that it names is
 * not set.
 */
final class UnresolvedPlaceholder {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

    private UnresolvedPlaceholder() {}

    /**
     * Refuses a text with a placeholder in it. A secret with a placeholder may be long enough, but then it can be read
     * in a repository.
     *
     * @param text null if the property is not set
     * @throws RefusedSettingException if the text contains a placeholder; the exception does not show the text
     */
    static void refuse(String property, @Nullable String text) {
        if (text != null && PLACEHOLDER.matcher(text).find()) {
            throw new RefusedSettingException(property, "a placeholder in it was not resolved",
                    "Set the environment variable or the property that its ${...} names, for this process.");
        }
    }
}
