package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.databind.json.JsonMapper;

class DiagnosisTest {

    private static Map<String, String> parts(Map<String, Supplier<?>> answers) throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        new Diagnosis(answers, new StandardEnvironment(), JsonMapper.builder().build()).writeTo(archive);
        Map<String, String> parts = new LinkedHashMap<>();
        try (ZipInputStream read = new ZipInputStream(new ByteArrayInputStream(archive.toByteArray()))) {
            for (ZipEntry entry = read.getNextEntry(); entry != null; entry = read.getNextEntry()) {
                parts.put(entry.getName(), new String(read.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return parts;
    }

    @Test
    void aPartThatIsTooLongIsCutAndSaysSo() throws IOException {
        Map<String, String> parts = parts(Map.of("large", () -> "x".repeat(Diagnosis.MOST_BYTES)));
        // The quotation marks take two more bytes.
        assertThat(parts.get("large.json")).startsWith("\"xxx")
                .hasSizeLessThan(Diagnosis.MOST_BYTES + 100)
                .endsWith(String.format("x%nThis part was cut, so many bytes are missing: 2%n"));
    }

    @Test
    void aPartThatFitsIsWhole() throws IOException {
        Map<String, String> parts = parts(Map.of("small", () -> "x".repeat(Diagnosis.MOST_BYTES - 2)));
        assertThat(parts.get("small.json")).hasSize(Diagnosis.MOST_BYTES).endsWith("x\"");
        assertThat(parts.get("threads.txt")).contains(Thread.currentThread().getName()).doesNotContain("was cut");
    }

    @Test
    void aPartThatCannotBeReadSaysWhy() throws IOException {
        assertThat(parts(Map.of("broken", () -> {
            throw new IllegalStateException("by the test");
        })).get("broken.json")).contains("failure", "by the test");
    }
}
