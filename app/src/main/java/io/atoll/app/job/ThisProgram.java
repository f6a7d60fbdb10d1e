package io.atoll.app.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this process was started: a jar that is its own class path, or a main class. */
public final class ThisProgram {

    private ThisProgram() {}

    /** The command that starts the same classes on the same Java; what the program is told is to be added. */
    public static List<String> command(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(isJar() ? List.of("-jar", jar()) : List.of("-cp", jar(), "io.atoll.app.AtollApplication"));
        return command;
    }

    /** The jar, or where there is none the class path. */
    public static String jar() {
        return System.getProperty("java.class.path");
    }

    private static boolean isJar() {
        return ThisProgram.class.getClassLoader() != ClassLoader.getSystemClassLoader();
    }
}
