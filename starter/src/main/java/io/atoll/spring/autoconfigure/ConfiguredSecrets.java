package io.atoll.spring.autoconfigure;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The secrets that the properties of a fabric state. No message contains their texts. */
final class ConfiguredSecrets {

    private static final int MOST_PREVIOUS = Keys.MOST - 1;

    private ConfiguredSecrets() {}

    /**
     * Returns the present secret and then the previous ones. The list is empty if no secret is set.
     *
     * @param prefix the prefix of the properties, with a dot at its end
     * @throws RefusedSettingException if the secrets are invalid
     */
    static List<Secret> of(String prefix, @Nullable String present, List<String> previous) {
        String name = prefix + "secret";
        String previousName = prefix + "previous-secrets";
        if (present == null && !previous.isEmpty()) {
            throw new RefusedSettingException(previousName, "there is no secret that followed them",
                    "Set " + name + ", or remove " + previousName + ".");
        }
        if (previous.size() > MOST_PREVIOUS) {
            throw new RefusedSettingException(previousName,
                    "at most " + MOST_PREVIOUS + " previous secrets can be known, and there are " + previous.size(),
                    "Remove those that no process of the world uses any more.");
        }
        List<Secret> secrets = new ArrayList<>();
        if (present != null) {
            secrets.add(secret(name, present));
        }
        for (int index = 0; index < previous.size(); index++) {
            secrets.add(secret(previousName + "[" + index + "]", previous.get(index)));
        }
        return secrets;
    }

    private static Secret secret(String property, String text) {
        UnresolvedPlaceholder.refuse(property, text);
        try {
            return Secret.of(text);
        } catch (IllegalArgumentException tooShort) {
            throw new RefusedSettingException(property, "it is shorter than " + Secret.SHORTEST_BYTES + " bytes",
                    "Make one with 'openssl rand -base64 32', and give it to all processes of the world.");
        }
    }
}
