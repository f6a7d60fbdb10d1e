package io.atoll.app.jar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The executable jars, and their bills of materials. Images are made from that of the node. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class JarTest {

    private static final Path FOLDER = Path.of("..", "target").toAbsolutePath().normalize();
    private static final String PACKAGES = "BOOT-INF/classes/io/atoll/app/";
    private static final String LIBRARIES = "BOOT-INF/lib/";

    /** Spring Boot's plugin adds this library, so Maven does not know it. */
    private static final String ADDED_BY_SPRING_BOOT = "spring-boot-jarmode-tools-";

    @TempDir
    private Path folder;

    private record Run(int exitCode, String output) {}

    private static Path jar(String name) {
        return FOLDER.resolve(name + ".jar");
    }

    private static Path billOfMaterials(String name) {
        return FOLDER.resolve(name + ".cdx.json");
    }

    private static List<String> libraries(String name) throws IOException {
        try (JarFile jar = new JarFile(jar(name).toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName())
                    .filter(entry -> entry.startsWith(LIBRARIES) && entry.endsWith(".jar"))
                    .map(entry -> entry.substring(LIBRARIES.length()))
                    .toList();
        }
    }

    private Run java(Path directory, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "output", ".txt");
        int exitCode = new ProcessBuilder(command).directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        return new Run(exitCode, Files.readString(output));
    }

    @ParameterizedTest
    @ValueSource(strings = {"atoll-node", "atoll-app"})
    void theJarIsExtractedInLayersWithItsLauncherWhichStartsTheProgram(String name) throws Exception {
        Path layers = folder.resolve("layers");
        Run extraction = java(folder, "-Djarmode=tools", "-jar", jar(name).toString(), "extract", "--layers",
                "--launcher",
                "--destination", layers.toString());
        assertThat(extraction.exitCode()).as(extraction.output()).isZero();
        assertThat(layers.resolve("spring-boot-loader/io/atoll/launch/Launch.class")).exists();

        Path whole = folder.resolve("whole");
        try (Stream<Path> each = Files.list(layers)) {
            for (Path layer : each.toList()) {
                copy(layer, whole);
            }
        }
        Run program = java(whole, "io.atoll.launch.Launch", "--help");
        assertThat(program.output()).contains("rdma-check");
        assertThat(program.exitCode()).isZero();
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    @Test
    void theJarOfTheNodeContainsNoProgramsAndNoLibraryThatPlots() throws IOException {
        List<String> more = new ArrayList<>(libraries("atoll-app"));
        more.removeAll(libraries("atoll-node"));
        assertThat(more).anyMatch(library -> library.startsWith("xchart-"))
                .anyMatch(library -> library.startsWith("batik-svggen-"))
                .anyMatch(library -> library.startsWith("atoll-node-"));
        try (JarFile jar = new JarFile(jar("atoll-node").toFile())) {
            assertThat(jar.stream().map(entry -> entry.getName()).filter(entry -> entry.startsWith(PACKAGES)))
                    .anyMatch(entry -> entry.startsWith(PACKAGES + "node/"))
                    .noneMatch(entry -> entry.matches(PACKAGES + "(bench|contigs|isx|job|kmer|plot|sequence)/.*"));
        }
    }

    private static void assumeBillOfMaterials(String name) {
        assumeThat(billOfMaterials(name)).as("the bill of materials, which Maven makes online only").exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"atoll-node", "atoll-app"})
    void theBillOfMaterialsNamesEveryJarInTheJar(String name) throws IOException {
        assumeBillOfMaterials(name);
        JsonNode bill = JsonMapper.shared().readTree(Files.readString(billOfMaterials(name)));
        assertThat(bill.get("bomFormat").asString()).isEqualTo("CycloneDX");
        assertThat(bill.get("metadata").get("component").get("name").asString()).isEqualTo(name);
        List<String> named = bill.get("components")
                .valueStream()
                .map(component -> component.get("name").asString() + "-" + component.get("version").asString() + ".jar")
                .toList();
        assertThat(named).containsAll(libraries(name)
                .stream()
                .filter(library -> !library.startsWith(ADDED_BY_SPRING_BOOT))
                .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"atoll-node", "atoll-app"})
    void theBillOfMaterialsInTheJarIsTheOneBesideIt(String name) throws IOException {
        assumeBillOfMaterials(name);
        try (JarFile jar = new JarFile(jar(name).toFile());
                InputStream inside = jar.getInputStream(jar.getEntry("META-INF/sbom/application.cdx.json"))) {
            assertThat(inside.readAllBytes()).isEqualTo(Files.readAllBytes(billOfMaterials(name)));
        }
    }
}
