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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The executable jar from which images are made, and its bill of materials. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class JarTest {

    private static final Path JAR = Path.of("target", "atoll-app.jar").toAbsolutePath();
    private static final Path BILL_OF_MATERIALS = Path.of("target", "atoll-app.cdx.json");

    /** Spring Boot's plugin adds this library, so Maven does not know it. */
    private static final String ADDED_BY_SPRING_BOOT = "spring-boot-jarmode-tools-";

    @TempDir
    private Path folder;

    private record Run(int exitCode, String output) {}

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

    @Test
    void theJarIsExtractedInLayersWithItsLauncherWhichStartsTheProgram() throws Exception {
        Path layers = folder.resolve("layers");
        Run extraction = java(folder, "-Djarmode=tools", "-jar", JAR.toString(), "extract", "--layers", "--launcher",
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

    private static void assumeBillOfMaterials() {
        assumeThat(BILL_OF_MATERIALS).as("the bill of materials, which Maven makes online only").exists();
    }

    @Test
    void theBillOfMaterialsNamesEveryJarInTheJar() throws IOException {
        assumeBillOfMaterials();
        JsonNode bill = JsonMapper.shared().readTree(Files.readString(BILL_OF_MATERIALS));
        assertThat(bill.get("bomFormat").asString()).isEqualTo("CycloneDX");
        assertThat(bill.get("metadata").get("component").get("name").asString()).isEqualTo("atoll-app");
        List<String> named = bill.get("components")
                .valueStream()
                .map(component -> component.get("name").asString() + "-" + component.get("version").asString() + ".jar")
                .toList();
        try (JarFile jar = new JarFile(JAR.toFile())) {
            List<String> contained = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("BOOT-INF/lib/") && name.endsWith(".jar"))
                    .map(name -> name.substring("BOOT-INF/lib/".length()))
                    .filter(name -> !name.startsWith(ADDED_BY_SPRING_BOOT))
                    .toList();
            assertThat(contained).isNotEmpty();
            assertThat(named).containsAll(contained);
        }
    }

    @Test
    void theBillOfMaterialsInTheJarIsTheOneBesideIt() throws IOException {
        assumeBillOfMaterials();
        try (JarFile jar = new JarFile(JAR.toFile());
                InputStream inside = jar.getInputStream(jar.getEntry("META-INF/sbom/application.cdx.json"))) {
            assertThat(inside.readAllBytes()).isEqualTo(Files.readAllBytes(BILL_OF_MATERIALS));
        }
    }
}
