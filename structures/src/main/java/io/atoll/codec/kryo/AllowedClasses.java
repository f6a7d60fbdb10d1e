package io.atoll.codec.kryo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The classes whose objects may be stored, and made from stored bytes: the classes that are named, and those that every
 * program has (numbers, texts, dates, {@code java.util}'s collections). Arrays of allowed classes are allowed.
 */
public final class AllowedClasses {

    private static final String WHOLE_PACKAGE = ".*";

    // None of these runs code of the elements, except equals, hashCode and compareTo.
    private static final AllowedClasses COMMON = new AllowedClasses(names(Object.class, Boolean.class, Byte.class,
            Short.class,
            Character.class, Integer.class, Long.class, Float.class, Double.class, String.class, BigInteger.class,
            BigDecimal.class, UUID.class, Currency.class, Locale.class, BitSet.class, Optional.class, ArrayList.class,
            LinkedList.class, ArrayDeque.class, HashSet.class, LinkedHashSet.class, TreeSet.class, HashMap.class,
            LinkedHashMap.class, TreeMap.class, EnumSet.noneOf(TimeUnit.class).getClass(), Arrays.asList().getClass(),
            List.of().getClass(),
            List.of(1).getClass(), List.of().subList(0, 0).getClass(), Set.of().getClass(), Set.of(1).getClass(),
            Map.of().getClass(), Map.of(1, 1).getClass(), Collections.emptyList().getClass(),
            Collections.emptySet().getClass(), Collections.emptyMap().getClass(),
            Collections.singletonList(1).getClass(),
            Collections.singleton(1).getClass(), Collections.singletonMap(1, 1).getClass()), Set.of("java.time"));

    private final Set<String> names;
    private final Set<String> packages;

    private AllowedClasses(Set<String> names, Set<String> packages) {
        this.names = names;
        this.packages = packages;
    }

    /** Returns the classes that every program has, and no others. */
    public static AllowedClasses common() {
        return COMMON;
    }

    /**
     * Returns these classes, and those that every program has.
     *
     * @param classes {@code com.example.Order}, or {@code com.example.*} for all classes of that package
     */
    public static AllowedClasses of(Collection<String> classes) {
        Map<Boolean, Set<String>> byKind = classes.stream()
                .collect(Collectors.partitioningBy(name -> name.endsWith(WHOLE_PACKAGE), Collectors.toSet()));
        return COMMON.and(byKind.get(false), byKind.get(true)
                .stream()
                .map(name -> name.substring(0, name.length() - WHOLE_PACKAGE.length()))
                .collect(Collectors.toSet()));
    }

    /** Returns the allowed classes with these in addition. */
    public AllowedClasses and(Class<?>... classes) {
        return and(names(classes), Set.of());
    }

    private AllowedClasses and(Set<String> moreNames, Set<String> morePackages) {
        return new AllowedClasses(union(names, moreNames), union(packages, morePackages));
    }

    /** Returns true if objects of this class are allowed. */
    public boolean allow(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.componentType();
        }
        // The class of a constant with a body is not its enum's.
        Class<?> named = Enum.class.isAssignableFrom(element) && !element.isEnum() ? element.getSuperclass() : element;
        return named.isPrimitive() || names.contains(named.getName()) || packages.contains(named.getPackageName());
    }

    private static Set<String> names(Class<?>... classes) {
        return Stream.of(classes).map(Class::getName).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }
}
