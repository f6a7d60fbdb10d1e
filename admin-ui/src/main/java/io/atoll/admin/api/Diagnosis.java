package io.atoll.admin.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import tools.jackson.databind.ObjectMapper;

/** All that this rank sees, with its threads and its configuration, in one archive. */
final class Diagnosis {

    private static final Pattern SECRET = Pattern.compile("secret|password|credential|passphrase|private-?key",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern OWN = Pattern.compile("atoll[._].*", Pattern.CASE_INSENSITIVE);

    /**
     * The most bytes of one part, so that no part fills memory or disk. A part that is cut says how much is missing.
     */
    static final int MOST_BYTES = 4 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Diagnosis.class);

    private final ReentrantLock writing = new ReentrantLock();
    private final Map<String, Supplier<?>> answers;
    private final ConfigurableEnvironment environment;
    private final ObjectMapper json;

    /** @param answers by the names of their files */
    Diagnosis(Map<String, Supplier<?>> answers, ConfigurableEnvironment environment, ObjectMapper json) {
        this.answers = answers;
        this.environment = environment;
        this.json = json;
    }

    /** Runs for one caller at a time, since it reads all ranks and stops all threads for a moment. */
    void writeTo(OutputStream out) throws IOException {
        writing.lock();
        try {
            write(out);
        } finally {
            writing.unlock();
        }
    }

    private void write(OutputStream out) throws IOException {
        try (ZipOutputStream archive = new ZipOutputStream(out, StandardCharsets.UTF_8)) {
            for (Map.Entry<String, Supplier<?>> answer : answers.entrySet()) {
                put(archive, answer.getKey() + ".json", written(answer.getValue()));
            }
            put(archive, "threads.txt", threads());
            put(archive, "configuration.json", written(this::configuration));
        }
    }

    /** A part that cannot be read must not keep the other parts from the reader: they may show the reason. */
    private Part written(Supplier<?> answer) {
        try {
            Part part = new Part(MOST_BYTES);
            json.writeValue(part, answer.get());
            return part;
        } catch (RuntimeException failure) {
            LOG.warn("a part of the diagnosis cannot be read", failure);
            Part part = new Part(MOST_BYTES);
            json.writeValue(part, Map.of("failure", String.valueOf(failure)));
            return part;
        }
    }

    private static void put(ZipOutputStream archive, String name, Part part) throws IOException {
        archive.putNextEntry(new ZipEntry(name));
        part.writeTo(archive);
        archive.closeEntry();
    }

    /** Keeps the beginning of what is written, and counts the rest. */
    static final class Part extends OutputStream {

        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final int mostBytes;
        private long cutBytes;

        Part(int mostBytes) {
            this.mostBytes = mostBytes;
        }

        @Override
        public void write(int value) {
            write(new byte[]{(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            int fits = Math.min(count, mostBytes - kept.size());
            kept.write(bytes, from, fits);
            cutBytes += count - fits;
        }

        void writeTo(OutputStream out) throws IOException {
            kept.writeTo(out);
            if (cutBytes > 0) {
                out.write("%nThis part was cut, so many bytes are missing: %d%n".formatted(cutBytes)
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /**
     * Returns each property of Atoll as it is written in the source that applies. Placeholders are not resolved, since
     * they may stand for secrets.
     */
    Map<String, String> configuration() {
        Map<String, String> found = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed) {
                for (String name : listed.getPropertyNames()) {
                    if (OWN.matcher(name).matches()) {
                        found.putIfAbsent(name,
                                SECRET.matcher(name).find() ? "******" : String.valueOf(listed.getProperty(name)));
                    }
                }
            }
        }
        return found;
    }

    private static Part threads() {
        Part part = new Part(MOST_BYTES);
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            StringBuilder text = new StringBuilder();
            text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
            LockInfo awaited = thread.getLockInfo();
            if (awaited != null) {
                text.append(" on ").append(awaited);
                if (thread.getLockOwnerName() != null) {
                    text.append(" of \"").append(thread.getLockOwnerName()).append('"');
                }
            }
            text.append('\n');
            StackTraceElement[] frames = thread.getStackTrace();
            for (int depth = 0; depth < frames.length; depth++) {
                text.append("    at ").append(frames[depth]).append('\n');
                for (MonitorInfo monitor : thread.getLockedMonitors()) {
                    if (monitor.getLockedStackDepth() == depth) {
                        text.append("    holds ").append(monitor).append('\n');
                    }
                }
            }
            text.append('\n');
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            part.write(bytes, 0, bytes.length);
        }
        return part;
    }
}
