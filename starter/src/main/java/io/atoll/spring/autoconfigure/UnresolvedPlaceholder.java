package io.atoll.spring.autoconfigure;

import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A placeholder that stayed in a property, since Spring leaves it as it is where nobody has set what it names. */
final class UnresolvedPlaceholder {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

    private UnresolvedPlaceholder() {}

    /**
     * A secret may be long enough with a placeholder in it, and stands in a repository then.
     *
     * @param text null where the property is not set
     * @throws RefusedSettingException if the text holds a placeholder; it does not show the text
     */
    static void refuse(String property, @Nullable String text) {
        if (text != null && PLACEHOLDER.matcher(text).find()) {
            throw new RefusedSettingException(property, "a placeholder in it was not resolved",
                    "Set the environment variable or the property that its ${...} names, for this process.");
        }
    }
}
