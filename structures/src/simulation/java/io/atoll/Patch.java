package io.atoll;

import static java.util.regex.Pattern.quote;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A mistake that is built into a class of the library: lines of its source are replaced. The source is compiled in
 * memory, and all classes of Atoll are loaded anew around it. So the mistake may be in any line, and the class needs to
 * know nothing of it. The decision is docs/decisions/0057.
 */
public final class Patch {

    private final Class<?> patched;
    private final String source;

    /** Begins with the source as it is. */
    public Patch(Class<?> patched) {
        this(patched, source(patched));
    }

    private Patch(Class<?> patched, String source) {
        this.patched = patched;
        this.source = source;
    }

    private static String path(Class<?> type) {
        return type.getName().replace('.', '/') + ".java";
    }

    private static String source(Class<?> type) {
        try {
            return Files.readString(Path.of("src", "main", "java").resolve(path(type)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns a patch that replaces this text, too. The source must contain it once. */
    public Patch replace(String text, String instead) {
        if (source.split(quote(text), -1).length != 2) {
            throw new IllegalArgumentException("the source does not contain this once, mend the patch: class="
                    + patched.getName() + " text=" + text);
        }
        return new Patch(patched, source.replace(text, instead));
    }

    /** Makes the program in a world of classes that has the patched one, and runs it. */
    public void run(Class<? extends Runnable> program) {
        ((Runnable) made(new PatchedClasses(program.getClassLoader(), compiled()), program.getName())).run();
    }

    private static Object made(ClassLoader classes, String name) {
        try {
            Constructor<?> constructor = classes.loadClass(name).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException("a program that is not run this way: class=" + name, failure);
        }
    }

    /** Returns the class files of the source by the names of the classes. */
    private Map<String, ByteArrayOutputStream> compiled() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var files = new ClassesInMemory(compiler.getStandardFileManager(null, null, null));
        var unit = new SimpleJavaFileObject(URI.create("patch:///" + path(patched)), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoresErrors) {
                return source;
            }
        };
        List<String> options = List.of("-proc:none", "-XDstringConcat=inline", "-classpath",
                System.getProperty("java.class.path"));
        if (!compiler.getTask(null, files, null, options, null, List.of(unit)).call()) {
            throw new IllegalArgumentException("the patched source does not compile: class=" + patched.getName());
        }
        return files.classes;
    }

    private static final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {

        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        private ClassesInMemory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
                FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("patch:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return classes.computeIfAbsent(name, _ -> new ByteArrayOutputStream());
                }
            };
        }
    }

    /** Loads all classes of Atoll anew, since what is package-private is seen only by classes of one loader. */
    private static final class PatchedClasses extends ClassLoader {

        private final Map<String, ByteArrayOutputStream> compiled;

        private PatchedClasses(ClassLoader parent, Map<String, ByteArrayOutputStream> compiled) {
            super(parent);
            this.compiled = compiled;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolves) throws ClassNotFoundException {
            if (!name.startsWith("io.atoll.")) {
                return super.loadClass(name, resolves);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = compiled.containsKey(name) ? compiled.get(name).toByteArray() : unpatched(name);
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] unpatched(String name) throws ClassNotFoundException {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                return file.readAllBytes();
            } catch (IOException failure) {
                throw new ClassNotFoundException(name, failure);
            }
        }
    }
}
