package io.atoll.process;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A {@link Program} in this process that a class loader of its own has loaded. It shares no class of the project with
 * the test, and so no static field. Servlet containers run several applications in one process in this way.
 */
public final class LoadedProgram implements AutoCloseable {

    private final URLClassLoader loader;
    private final Object program;
    private final Method obey;
    private final Method close;

    private LoadedProgram(URLClassLoader loader, Class<? extends Program> program)
            throws ReflectiveOperationException {
        this.loader = loader;
        Class<?> loaded = loader.loadClass(program.getName());
        if (loaded == program) {
            throw new IllegalStateException("the class was not loaded anew: program=" + program);
        }
        Constructor<?> constructor = loaded.getDeclaredConstructor();
        constructor.setAccessible(true);
        this.program = constructor.newInstance();
        Class<?> contract = loader.loadClass(Program.class.getName());
        this.obey = contract.getMethod("obey", String.class, List.class);
        this.close = contract.getMethod("close");
    }

    /** Loads the class path once more, and the program from it. */
    public static LoadedProgram start(Class<? extends Program> program) {
        try {
            List<URL> classPath = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator))) {
                classPath.add(Path.of(entry).toUri().toURL());
            }
            return new LoadedProgram(
                    new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()), program);
        } catch (IOException | ReflectiveOperationException failure) {
            throw new IllegalStateException("the program cannot be loaded: program=" + program, failure);
        }
    }

    /** Returns what the program replies to the command. */
    public String ask(String command) {
        List<String> words = List.of(command.split(" "));
        return (String) call(obey, words.getFirst(), words.subList(1, words.size()));
    }

    private Object call(Method method, Object... arguments) {
        try {
            return method.invoke(program, arguments);
        } catch (InvocationTargetException failure) {
            throw new IllegalStateException("the program has failed: method=" + method.getName(), failure.getCause());
        } catch (IllegalAccessException impossible) {
            throw new AssertionError("a public method of an interface", impossible);
        }
    }

    /** Ends the program in order, and lets go of its classes. */
    @Override
    public void close() throws IOException {
        call(close);
        loader.close();
    }
}
