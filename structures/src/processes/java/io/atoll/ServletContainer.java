package io.atoll;

import io.atoll.process.Program;
import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Runs applications, each in a class loader of its own, and lets go of them. Its thread lives on. */
final class ServletContainer implements Program {

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<WeakReference<ClassLoader>> former = new ArrayList<>();

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "run" -> run(arguments.get(0), Path.of(arguments.get(1)));
            case "kept" -> "" + kept();
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String run(String application, Path folder) throws Exception {
        try (var loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Constructor<?> constructor = loader.loadClass(application).getDeclaredConstructor();
            constructor.setAccessible(true);
            @SuppressWarnings("unchecked") // as every ReplacedApplication is
            var loaded = (BiConsumer<ExecutorService, Path>) constructor.newInstance();
            loaded.accept(thread, folder);
            former.add(new WeakReference<>(loader));
        }
        return "replaced";
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator))) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        return classPath.toArray(URL[]::new);
    }

    /** Returns the number of class loaders that are still there. */
    private long kept() {
        System.gc();
        return former.stream().filter(loader -> loader.get() != null).count();
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
