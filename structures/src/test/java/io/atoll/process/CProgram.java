package io.atoll.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs in C that belong to tests. */
public final class CProgram {

    private static final String COMPILER = "cc";

    private CProgram() {}

    /** Returns what is missing to compile one on this machine. */
    public static Optional<String> lack() {
        boolean isThere = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, COMPILER)));
        return isThere ? Optional.empty() : Optional.of("no C compiler: apt-get install gcc libc6-dev");
    }

    /**
     * Compiles a program.
     *
     * @param owner beside which its source lies
     * @return the program, in that folder
     */
    public static Path compile(String name, Class<?> owner, Path folder) throws IOException {
        Path source = folder.resolve(name + ".c");
        try (InputStream text = owner.getResourceAsStream(name + ".c")) {
            if (text == null) {
                throw new IOException("there is no such source: name=" + name + " beside=" + owner);
            }
            Files.copy(text, source);
        }
        Path program = folder.resolve(name);
        Process compiler = new ProcessBuilder(COMPILER, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program.toString(),
                source.toString()).inheritIO().start();
        if (compiler.onExit().join().exitValue() != 0) {
            throw new IOException("the C compiler refuses a program: source=" + source);
        }
        return program;
    }
}
