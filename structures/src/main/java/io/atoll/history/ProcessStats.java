package io.atoll.history;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures what this process takes of its host, without an allocation at each look. One thread at a time uses it. */
final class ProcessStats implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ProcessStats.class);

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final byte[] RESIDENT = "\nVmRSS:".getBytes(US_ASCII); // in units of 1,024 bytes
    private static final int STATUS_BYTES = 4 << 10;

    private final @Nullable OperatingSystemMXBean system = ManagementFactory
            .getOperatingSystemMXBean() instanceof OperatingSystemMXBean known ? known : null;
    private final ByteBuffer status = ByteBuffer.allocateDirect(STATUS_BYTES);
    private @Nullable FileChannel file = open();

    private static @Nullable FileChannel open() {
        try {
            return FileChannel.open(STATUS, StandardOpenOption.READ);
        } catch (IOException unreadable) {
            LOG.debug("resident memory is not known: file={}", STATUS, unreadable);
            return null;
        }
    }

    /** Returns the time of all threads; 0 if it is not known. */
    long cpuMillis() {
        return system == null ? 0 : TimeUnit.NANOSECONDS.toMillis(Math.max(0, system.getProcessCpuTime()));
    }

    /** Returns the process's memory that is in RAM; 0 if it is not known. */
    long residentBytes() {
        FileChannel open = file;
        if (open == null) {
            return 0;
        }
        try {
            status.clear();
            int bytes = open.read(status, 0);
            return resident(bytes);
        } catch (ClosedChannelException interrupted) {
            file = open();
            return 0;
        } catch (IOException unreadable) {
            LOG.debug("resident memory cannot be read: file={}", STATUS, unreadable);
            return 0;
        }
    }

    private long resident(int bytes) {
        int at = find(bytes);
        long number = 0;
        for (boolean begun = false; at < bytes; at++) {
            int digit = status.get(at) - '0';
            if (digit >= 0 && digit <= 9) {
                begun = true;
                number = number * 10 + digit;
            } else if (begun) {
                return number << 10;
            }
        }
        return 0;
    }

    /** Returns where the text before the number ends. */
    private int find(int bytes) {
        for (int at = 0; at + RESIDENT.length <= bytes; at++) {
            int same = 0;
            while (same < RESIDENT.length && status.get(at + same) == RESIDENT[same]) {
                same++;
            }
            if (same == RESIDENT.length) {
                return at + same;
            }
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        FileChannel open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }
}
