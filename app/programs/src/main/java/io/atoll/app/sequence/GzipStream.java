package io.atoll.app.sequence;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * The inflated bytes of a gzip file: those of all its members, one after the other (RFC 1952), as bgzip, pigz and
 * {@code cat} make them.
 *
 * <p>{@link java.util.zip.GZIPInputStream} takes a damaged later member for the end of the file. Counts would then be
 * missing without a word. This stream fails. Zeros may pad the file's end, as tapes and block devices do.
 */
final class GzipStream extends InputStream {

    private static final int INPUT_BYTES = 1 << 16;
    private static final int MAGIC_1 = 0x1f;
    private static final int MAGIC_2 = 0x8b;
    private static final int DEFLATE = 8;
    // Time, extra flags and operating system.
    private static final int FIXED_REST_BYTES = 6;
    private static final int HAS_CHECKSUM = 1 << 1;
    private static final int HAS_EXTRA = 1 << 2;
    private static final int HAS_NAME = 1 << 3;
    private static final int HAS_COMMENT = 1 << 4;
    private static final long UNSIGNED_INT = 0xffff_ffffL;

    private final InputStream compressed;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private final byte[] input = new byte[INPUT_BYTES];
    private int at;
    private int limit;
    private boolean ended;

    /** @param compressed closed with this stream; need not be buffered */
    GzipStream(InputStream compressed) throws IOException {
        this.compressed = compressed;
        readHeader(nextByte());
    }

    /** Returns true if a file that begins with these bytes is gzip. */
    static boolean isGzip(int first, int second) {
        return first == MAGIC_1 && second == MAGIC_2;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, target.length);
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            int count = inflate(target, from, length);
            if (count > 0) {
                checksum.update(target, from, count);
                return count;
            }
            if (inflater.finished()) {
                endMember();
            } else {
                fill();
                inflater.setInput(input, 0, limit);
            }
        }
        return -1;
    }

    private int inflate(byte[] target, int from, int length) throws ZipException {
        try {
            int count = inflater.inflate(target, from, length);
            if (inflater.needsDictionary()) {
                throw new ZipException("the gzip data are damaged");
            }
            return count;
        } catch (DataFormatException failure) {
            throw (ZipException) new ZipException("the gzip data are damaged").initCause(failure);
        }
    }

    private void endMember() throws IOException {
        at = limit - inflater.getRemaining();
        if (nextInt() != checksum.getValue() || nextInt() != (inflater.getBytesWritten() & UNSIGNED_INT)) {
            throw new ZipException("the gzip data are damaged: their checksum is wrong");
        }
        int next = nextByteOrEnd();
        while (next == 0) {
            next = nextByteOrEnd();
        }
        if (next < 0) {
            ended = true;
        } else {
            readHeader(next);
        }
    }

    private void readHeader(int first) throws IOException {
        if (!isGzip(first, nextByte()) || nextByte() != DEFLATE) {
            throw new ZipException("the gzip data are damaged: other data follow them");
        }
        int flags = nextByte();
        skip(FIXED_REST_BYTES);
        if ((flags & HAS_EXTRA) != 0) {
            skip(nextByte() | nextByte() << Byte.SIZE);
        }
        if ((flags & HAS_NAME) != 0) {
            skipText();
        }
        if ((flags & HAS_COMMENT) != 0) {
            skipText();
        }
        if ((flags & HAS_CHECKSUM) != 0) {
            skip(Short.BYTES);
        }
        checksum.reset();
        inflater.reset();
        inflater.setInput(input, at, limit - at);
    }

    private void skip(int bytes) throws IOException {
        for (int skipped = 0; skipped < bytes; skipped++) {
            nextByte();
        }
    }

    private void skipText() throws IOException {
        while (nextByte() != 0) {
            // Reads up to the zero at the end of the text.
        }
    }

    private long nextInt() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            value |= (long) nextByte() << shift;
        }
        return value;
    }

    private int nextByte() throws IOException {
        if (at == limit) {
            fill();
        }
        return Byte.toUnsignedInt(input[at++]);
    }

    private int nextByteOrEnd() throws IOException {
        return at < limit || tryFill() ? Byte.toUnsignedInt(input[at++]) : -1;
    }

    private void fill() throws IOException {
        if (!tryFill()) {
            throw new EOFException("the gzip data end too early, the file is truncated");
        }
    }

    private boolean tryFill() throws IOException {
        at = 0;
        limit = Math.max(0, compressed.read(input, 0, input.length));
        return limit > 0;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        compressed.close();
    }
}
