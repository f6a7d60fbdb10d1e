package io.atoll.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The files of the README's example, each a block that follows a line with its name, written to a folder, compiled and run there. */
final class ExampleProject {

    private static final Pattern FILE = Pattern.compile("`((?:src/|pom)[^`]+)`:?\n\n```\\w+\n(.*?)\n```",
            Pattern.DOTALL);

    private final Path folder;
    private final List<Path> sources = new ArrayList<>();

    private ExampleProject(Path folder) {
        this.folder = folder;
    }

    static ExampleProject write(Path readme, Path folder) throws IOException {
        ExampleProject project = new ExampleProject(folder);
        Matcher file = FILE.matcher(Files.readString(readme));
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

    /** Compiles everything, warnings included, against the class path of this test. */
    void compile() {
        List<String> arguments = new ArrayList<>(
                List.of("-d", classes().toString(), "-parameters", "-Xlint:all,-processing",
                        "-proc:none", "-classpath", System.getProperty("java.class.path")));
        sources.forEach(source -> arguments.add(source.toString()));
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, arguments.toArray(String[]::new)))
                .as("what the compiler says to the README")
                .isZero();
    }

    TestExecutionSummary run(String testClass) throws IOException, ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] path = {classes().toUri().toURL(), folder.resolve("src/main/resources/").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, before)) {
            thread.setContextClassLoader(loader);
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(DiscoverySelectors.selectClass(loader.loadClass(testClass)))
                            .build(), listener);
            return listener.getSummary();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Path classes() {
        return folder.resolve("target/classes/");
    }
}
