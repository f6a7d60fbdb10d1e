package io.atoll.app.sequence;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/** A file of reads by its name: FASTA or FASTQ, plain or gzip. The first bytes tell which. */
public record SequenceFile(String name) implements Serializable {

    /**
     * A buffer of this size fits into a second-level cache. So bytes that were copied or inflated into it are parsed
     * from there.
     */
    private static final int BUFFER_BYTES = 1 << 18;

    private Path path() {
        return Path.of(name);
    }

    /** Returns the size on disk. */
    long bytes() {
        requireRegularFile();
        try {
            return Files.size(path());
        } catch (IOException failure) {
            throw unreadable(failure);
        }
    }

    /**
     * Passes every read to the visitor.
     *
     * @param consumed told how many bytes of the file, compressed as they are, have been read by then
     * @return the number of reads
     * @throws InputException if the file is missing, unreadable, truncated, damaged or something else
     */
    long visit(SequenceVisitor visitor, LongConsumer consumed) {
        requireRegularFile();
        SequenceParser parser = new SequenceParser(name, visitor);
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.READ);
                InputStream stream = open(channel)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int count = fill(buffer, stream); count > 0; count = fill(buffer, stream)) {
                parser.parse(buffer, 0, count);
                consumed.accept(channel.position());
            }
            parser.end();
        } catch (IOException failure) {
            throw unreadable(failure);
        }
        return parser.reads();
    }

    private static InputStream open(FileChannel channel) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(2);
        boolean gzip = channel.read(start, 0) == 2 && GzipStream.isGzip(start.get(0) & 0xff, start.get(1) & 0xff);
        InputStream plain = Channels.newInputStream(channel);
        return gzip ? new GzipStream(plain) : plain;
    }

    private static int fill(byte[] buffer, InputStream stream) throws IOException {
        return stream.readNBytes(buffer, 0, buffer.length);
    }

    private void requireRegularFile() {
        if (Files.notExists(path())) {
            throw new InputException(name, "does not exist");
        }
        if (Files.isDirectory(path())) {
            throw new InputException(name, "is a directory, not a file");
        }
        if (!Files.isRegularFile(path())) {
            throw new InputException(name, "is not a regular file, so not every rank can read it");
        }
    }

    private InputException unreadable(IOException failure) {
        String reason = failure instanceof AccessDeniedException ? "this user may not read it" : failure.getMessage();
        return new InputException(name, reason, failure);
    }
}
