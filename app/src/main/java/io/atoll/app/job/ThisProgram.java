package io.atoll.app.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this process was started: a jar that is its own class path, or a main class. */
public final class ThisProgram {

    private static final String MAIN_CLASS = "io.atoll.app.AtollApplication";

    private ThisProgram() {}

    /** The command that starts the same classes on the same Java; what the program is told is to be added. */
    public static List<String> command(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        String classPath = System.getProperty("java.class.path");
        command.addAll(isJar() ? List.of("-jar", classPath) : List.of("-cp", classPath, MAIN_CLASS));
        return command;
    }

    /** Returns what a user types to start this program. Names the usual jar where this process runs from classes. */
    public static String typed() {
        return "java -jar " + (isJar() ? System.getProperty("java.class.path") : "app/target/atoll-app.jar");
    }

    private static boolean isJar() {
        return ThisProgram.class.getClassLoader() != ClassLoader.getSystemClassLoader();
    }
}
