package io.atoll.spring.state;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The configuration of a structure in words for users. */
final class Settings {

    private Settings() {}

    /**
     * Turns {@code queue type=long capacity=1000 host=2} into: type is long, capacity is 1000, host is 2. A value may
     * have spaces: a word without {@code =} belongs to the value before it.
     */
    static Map<String, String> inWords(String configuration) {
        Map<String, String> settings = new LinkedHashMap<>();
        String name = null;
        boolean isKind = true;
        for (String word : configuration.split(" ")) {
            int equals = word.indexOf('=');
            if (equals > 0 && word.substring(0, equals).matches("[A-Za-z][A-Za-z0-9-]*")) {
                name = words(word.substring(0, equals));
                settings.put(name, word.substring(equals + 1));
            } else if (name != null) {
                settings.merge(name, word, (before, more) -> before + " " + more);
            } else if (!isKind) {
                settings.put(words(word), "yes");
            }
            isKind = false;
        }
        return settings;
    }

    /** Turns {@code localBudget} into local budget, and {@code expected-elements} into expected elements. */
    private static String words(String name) {
        return name.replace('-', ' ').replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }
}
