package io.atoll.app.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this process was started: from a jar that is its own class path, or from a main class. */
public final class ThisProgram {

    private ThisProgram() {}

    /**
     * Returns the command that starts the same classes on the same Java. The caller adds the program's arguments.
     *
     * @param mainClass the class to start if this process runs from classes; a jar names its own
     * @param options options of Java
     */
    public static List<String> command(String mainClass, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        String classPath = System.getProperty("java.class.path");
        command.addAll(isJar() ? List.of("-jar", classPath) : List.of("-cp", classPath, mainClass));
        return command;
    }

    private static boolean isJar() {
        return ThisProgram.class.getClassLoader() != ClassLoader.getSystemClassLoader();
    }
}
