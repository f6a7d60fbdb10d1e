package io.atoll.admin.api;

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

    private static final Logger LOG = LoggerFactory.getLogger(Diagnosis.class);

    private final ReentrantLock writing = new ReentrantLock();
    private final Map<String, Supplier<?>> answers;
    private final ConfigurableEnvironment environment;
    private final ObjectMapper json;

    /** @param answers by the name of their file */
    Diagnosis(Map<String, Supplier<?>> answers, ConfigurableEnvironment environment, ObjectMapper json) {
        this.answers = answers;
        this.environment = environment;
        this.json = json;
    }

    /** One at a time: it reads all ranks, and stops all threads for a moment. */
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
            put(archive, "threads.txt", threads().getBytes(StandardCharsets.UTF_8));
            put(archive, "configuration.json", json.writeValueAsBytes(configuration()));
        }
    }

    /** What cannot be read must not keep the rest from whoever looks for the reason. */
    private byte[] written(Supplier<?> answer) {
        try {
            return json.writeValueAsBytes(answer.get());
        } catch (RuntimeException failure) {
            LOG.warn("a part of the diagnosis cannot be read", failure);
            return json.writeValueAsBytes(Map.of("failure", String.valueOf(failure)));
        }
    }

    private static void put(ZipOutputStream archive, String name, byte[] content) throws IOException {
        archive.putNextEntry(new ZipEntry(name));
        archive.write(content);
        archive.closeEntry();
    }

    /** Each property of Atoll as it is written, in the source that counts. What stands for something else is not resolved: it may be a secret. */
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

    private static String threads() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
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
        }
        return text.toString();
    }
}
