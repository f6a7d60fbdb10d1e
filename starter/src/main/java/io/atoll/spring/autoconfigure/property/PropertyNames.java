package io.atoll.spring.autoconfigure.property;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The names of all properties that are bound to some records. Each component of a record is one property. A component
 * that is itself a record, a map or a list is several.
 *
 * @param roots the records and their prefixes
 */
record PropertyNames(List<Root> roots) {

    /** @param prefix for example {@code atoll.admin} */
    record Root(ConfigurationPropertyName prefix, Class<?> type) {}

    /** Stands for a part of a name that users choose. */
    private static final String ANY = "*";

    /**
     * Returns true if a property of this name is read. This includes a name that lacks its last parts: such a property
     * has no value, like an empty map in YAML.
     */
    boolean contains(ConfigurationPropertyName name) {
        return roots.stream()
                .anyMatch(root -> root.prefix().equals(name) || root.prefix().isAncestorOf(name)
                        && contains(root.type(), name, root.prefix().getNumberOfElements()));
    }

    private static boolean contains(Type type, ConfigurationPropertyName name, int at) {
        if (at == name.getNumberOfElements()) {
            return true;
        }
        Class<?> plain = plain(type);
        if (plain.isRecord()) {
            return Arrays.stream(plain.getRecordComponents())
                    .filter(component -> uniform(DataObjectPropertyName.toDashedForm(component.getName()))
                            .equals(name.getElement(at, Form.UNIFORM)))
                    .anyMatch(component -> contains(component.getGenericType(), name, at + 1));
        }
        boolean isPart = Map.class == plain || Collection.class.isAssignableFrom(plain) && name.isNumericIndex(at);
        return isPart && contains(partType(type), name, at + 1);
    }

    private static String uniform(String dashed) {
        return dashed.replace("-", "");
    }

    private static Class<?> plain(Type type) {
        return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    /** Returns the type of a map's values, or of a collection's elements. */
    private static Type partType(Type type) {
        Type[] arguments = ((ParameterizedType) type).getActualTypeArguments();
        return arguments[arguments.length - 1];
    }

    /**
     * Returns the name that is most likely meant: the one that needs the fewest letters changed, inserted or left out.
     */
    Optional<String> nearest(ConfigurationPropertyName name) {
        List<List<String>> names = new ArrayList<>();
        roots.forEach(root -> collect(root.type(), elements(root.prefix()), names));
        List<String> wrong = elements(name);
        return names.stream()
                .map(each -> String.join(".", chosenAsIn(wrong, each)))
                .min(Comparator.comparingInt(each -> distance(String.join(".", wrong), each)));
    }

    private static void collect(Type type, List<String> name, List<List<String>> names) {
        Class<?> plain = plain(type);
        if (plain.isRecord()) {
            for (RecordComponent component : plain.getRecordComponents()) {
                collect(component.getGenericType(), and(name, DataObjectPropertyName.toDashedForm(component.getName())),
                        names);
            }
        } else if (Map.class == plain) {
            collect(partType(type), and(name, ANY), names);
        } else {
            names.add(name);
        }
    }

    private static List<String> and(List<String> name, String element) {
        List<String> longer = new ArrayList<>(name);
        longer.add(element);
        return longer;
    }

    private static List<String> elements(ConfigurationPropertyName name) {
        List<String> elements = new ArrayList<>();
        for (int at = 0; at < name.getNumberOfElements(); at++) {
            elements.add(name.getElement(at, Form.DASHED));
        }
        return elements;
    }

    private static List<String> chosenAsIn(List<String> wrong, List<String> name) {
        List<String> chosen = new ArrayList<>(name);
        for (int at = 0; at < chosen.size(); at++) {
            if (chosen.get(at).equals(ANY)) {
                chosen.set(at, at < wrong.size() ? wrong.get(at) : "NAME");
            }
        }
        return chosen;
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, at -> at);
        for (int down = 1; down <= one.length(); down++) {
            int diagonal = row[0];
            row[0] = down;
            for (int right = 1; right <= other.length(); right++) {
                int exchanged = diagonal + (one.charAt(down - 1) == other.charAt(right - 1) ? 0 : 1);
                diagonal = row[right];
                row[right] = Math.min(exchanged, 1 + Math.min(row[right], row[right - 1]));
            }
        }
        return row[other.length()];
    }
}
