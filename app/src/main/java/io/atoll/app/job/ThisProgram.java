package io.atoll.app.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this process was started: from a jar that is its own class path, or from a main class. */
public final class ThisProgram {

    private static final String MAIN_CLASS = "io.atoll.app.AtollApplication";

    private ThisProgram() {}

    /** Returns the command that starts the same classes on the same Java. The caller adds the program's arguments. */
    public static List<String> command(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        String classPath = System.getProperty("java.class.path");
        command.addAll(isJar() ? List.of("-jar", classPath) : List.of("-cp", classPath, MAIN_CLASS));
        return command;
    }

    /** Returns what a user types to start this program. Names the usual jar if this process runs from classes. */
    public static String typed() {
        return "java -jar " + (isJar() ? System.getProperty("java.class.path") : "app/target/atoll-app.jar");
    }

    private static boolean isJar() {
        return ThisProgram.class.getClassLoader() != ClassLoader.getSystemClassLoader();
    }
}
