package io.atoll.launch;

import java.lang.reflect.InvocationTargetException;

/**
 * The main class of the executable jar. It checks the Java version, then hands over to Spring Boot's launcher.
 *
 * <p>It is compiled for Java 8 and lies at the root of the jar. So an old Java gets far enough to say what is missing.
 */
public final class Launch {
    private static final int NEEDED = 25;
    private static final String LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";

    private Launch() {}

    public static void main(String[] args) throws Throwable {
        String found = System.getProperty("java.specification.version");
        if (feature(found) < NEEDED) {
            System.err.println("Atoll needs Java " + NEEDED + " or newer; this is Java " + found + " ("
                    + System.getProperty("java.home") + "). Call a newer java by its path, or put it first in PATH.");
            System.exit(2);
        }
        try {
            Class.forName(LAUNCHER).getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Returns the 8 of "1.8" and the 17 of "17". */
    private static int feature(String specification) {
        return Integer.parseInt(specification.startsWith("1.") ? specification.substring(2) : specification);
    }
}
