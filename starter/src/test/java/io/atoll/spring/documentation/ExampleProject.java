package io.atoll.spring.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/**
 * The files of the documentation's example. Each file is a block that follows a line with its name. They are written to
 * a folder, compiled and run there.
 */
final class ExampleProject {

    private static final Pattern FILE = Pattern.compile("`((?:src/|pom)[^`]+)`:?\n\n```\\w+\n(.*?)\n```",
            Pattern.DOTALL);

    // Spring writes its proxies here.
    private static final String GENERATED_CLASSES = "target/spring-aot/main/classes/";

    private final Path folder;
    private final List<Path> sources = new ArrayList<>();

    private ExampleProject(Path folder) {
        this.folder = folder;
    }

    static ExampleProject write(Path document, Path folder) throws IOException {
        ExampleProject project = new ExampleProject(folder);
        Matcher file = FILE.matcher(Files.readString(document));
        while (file.find()) {
            Path path = folder.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2) + "\n");
            if (path.toString().endsWith(".java")) {
                project.sources.add(path);
            }
        }
        return project;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Compiles everything against the class path of this test. Warnings count as errors. */
    void compile() {
        List<String> arguments = new ArrayList<>(
                List.of("-d", classes().toString(), "-parameters", "-Xlint:all,-processing",
                        "-proc:none", "-classpath", System.getProperty("java.class.path")));
        sources.forEach(source -> arguments.add(source.toString()));
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, arguments.toArray(String[]::new)))
                .as("what the compiler says to the documentation")
                .isZero();
    }

    /** Uses the classes of the project, which are those of the thread's context class loader. */
    interface Use<R> {

        R of(ClassLoader loader) throws Exception;
    }

    <R> R use(Use<R> use) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] path = {classes().toUri().toURL(), folder.resolve("src/main/resources/").toUri().toURL(),
            folder.resolve(GENERATED_CLASSES).toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, before)) {
            thread.setContextClassLoader(loader);
            return use.of(loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    TestExecutionSummary run(String testClass) throws Exception {
        return use(loader -> {
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(DiscoverySelectors.selectClass(loader.loadClass(testClass)))
                            .build(), listener);
            return listener.getSummary();
        });
    }

    /**
     * Does the same as the goal process-aot of Spring Boot's plugin. The generated code becomes part of the sources.
     */
    void processAheadOfTime(String application) throws Exception {
        Path generated = folder.resolve("target/spring-aot/main/sources");
        use(loader -> new SpringApplicationAotProcessor(loader.loadClass(application), AbstractAotProcessor.Settings
                .builder()
                .sourceOutput(generated)
                .resourceOutput(folder.resolve("target/spring-aot/main/resources"))
                .classOutput(folder.resolve(GENERATED_CLASSES))
                .groupId("com.example")
                .artifactId("shop")
                .build(), new String[0]).process());
        try (Stream<Path> files = Files.walk(generated)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
    }

    /**
     * Starts the application in a process of its own, from the generated code. Returns everything that it prints until
     * it ends.
     */
    String start(String application) throws IOException, InterruptedException {
        String path = String.join(File.pathSeparator, classes().toString(),
                folder.resolve(GENERATED_CLASSES).toString(),
                folder.resolve("src/main/resources").toString(), System.getProperty("java.class.path"));
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dspring.aot.enabled=true", "-cp", path, application,
                "--logging.level.root=info")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ended: %s", Files.readString(said)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(said)).isZero();
            return Files.readString(said);
        } finally {
            process.destroyForcibly();
        }
    }

    private Path classes() {
        return folder.resolve("target/classes/");
    }
}
