package io.atoll.app.kmer;

import io.atoll.app.sequence.kmer.Kmer;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes {@code KMER<tab>COUNT} lines into a part of a file. Ranks can write one file at the same time: {@link #bytes}
 * tells how many bytes each rank writes.
 */
final class CountLines implements LongLongMap.Visitor, AutoCloseable {

    private static final int BUFFER_BYTES = 1 << 20;

    private final FileChannel channel;
    private final int length;
    private final long minimum;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;

    /**
     * @param file exists
     * @param position of the first line's first byte
     * @param length k
     * @param minimum the count from which on a k-mer has a line
     */
    CountLines(Path file, long position, int length, long minimum) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.WRITE).position(position);
        this.length = length;
        this.minimum = minimum;
    }

    /** Returns the length of the line of a k-mer with the given count. */
    static int bytes(int length, long count) {
        return length + 1 + digits(count) + 1;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    @Override
    public void visit(long kmer, long count) {
        if (count < minimum) {
            return;
        }
        if (buffer.length - at < bytes(length, count)) {
            flush();
        }
        Kmer.decode(kmer, buffer, at, length);
        at += length;
        buffer[at++] = '\t';
        int digits = digits(count);
        long rest = count;
        for (int digit = digits - 1; digit >= 0; digit--) {
            buffer[at + digit] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        at += digits;
        buffer[at++] = '\n';
    }

    private void flush() {
        ByteBuffer filled = ByteBuffer.wrap(buffer, 0, at);
        try {
            while (filled.hasRemaining()) {
                channel.write(filled);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        at = 0;
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            flush();
        }
    }
}
