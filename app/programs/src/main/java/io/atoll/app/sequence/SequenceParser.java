package io.atoll.app.sequence;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds the reads in the bytes of one FASTA or FASTQ file. The bytes arrive in pieces that are cut anywhere. No read is
 * ever copied: the visitor gets ranges of the buffer.
 *
 * <p>FASTA is {@code >name} and lines of sequence up to the next {@code >}. FASTQ is {@code @name}, sequence,
 * {@code +}, and as many quality letters as bases. Quality letters are counted, since a quality line may begin with
 * {@code @}. If the bases are in one line, so are the quality letters. Otherwise they may be in any number of lines
 * (Cock et al., Nucleic Acids Research 38, 2010). Lines end with LF or CR LF. Empty lines between records are skipped.
 */
final class SequenceParser {

    private static final VarHandle EIGHT_BYTES = MethodHandles
            .byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long LINE_FEEDS = '\n' * LOW_BITS;

    /** The part of the file that the next byte belongs to. */
    private enum State {
        RECORD_START, FASTA_HEADER, FASTA_LINE_START, FASTA_LINE, FASTQ_HEADER, FASTQ_LINE_START, FASTQ_LINE, //
        SEPARATOR, QUALITY
    }

    private final String file;
    private final SequenceVisitor visitor;
    private State state = State.RECORD_START;
    // The first letter of the file's records: > or @, zero before the first record.
    private byte marker;
    private long reads;
    // Lines with bases in the present FASTQ read.
    private long lines;
    // Bases of the present FASTQ read.
    private long bases;
    private long qualities;

    /** @param file the file's name in errors */
    SequenceParser(String file, SequenceVisitor visitor) {
        this.file = file;
        this.visitor = visitor;
    }

    /** Returns the number of reads that have begun. */
    long reads() {
        return reads;
    }

    /**
     * Parses the next bytes of the file.
     *
     * @throws InputException if they do not follow the format
     */
    void parse(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to) {
            at = switch (state) {
                case RECORD_START -> startRecord(buffer, at);
                case FASTA_HEADER -> skipLine(buffer, at, to, State.FASTA_LINE_START);
                case FASTA_LINE_START -> startFastaLine(buffer, at);
                case FASTA_LINE -> readFastaLine(buffer, at, to);
                case FASTQ_HEADER -> skipLine(buffer, at, to, State.FASTQ_LINE_START);
                case FASTQ_LINE_START -> startFastqLine(buffer, at);
                case FASTQ_LINE -> readFastqLine(buffer, at, to);
                case SEPARATOR -> skipLine(buffer, at, to, State.QUALITY);
                case QUALITY -> readQualities(buffer, at, to);
            };
        }
    }

    /**
     * Ends the file.
     *
     * @throws InputException if it ends within a read, or before the first
     */
    void end() {
        switch (state) {
            case RECORD_START -> {
                if (reads == 0) {
                    throw new InputException(file, "is empty, but must be FASTA or FASTQ");
                }
            }
            case FASTA_HEADER, FASTA_LINE_START, FASTA_LINE -> {
                // A FASTA record may end anywhere.
            }
            case QUALITY -> {
                if (qualities > bases) {
                    throw mismatch();
                }
                if (qualities < bases) {
                    throw truncated();
                }
            }
            case FASTQ_HEADER, FASTQ_LINE_START, FASTQ_LINE, SEPARATOR -> throw truncated();
        }
    }

    private int startRecord(byte[] buffer, int at) {
        byte found = buffer[at];
        if (found == '\n' || found == '\r') {
            return at + 1;
        }
        if (marker == 0 && (found == '>' || found == '@')) {
            marker = found;
        }
        if (found != marker) {
            throw unexpected(found);
        }
        startRead(found == '>' ? State.FASTA_HEADER : State.FASTQ_HEADER);
        return at + 1;
    }

    private void startRead(State header) {
        reads++;
        lines = 0;
        bases = 0;
        qualities = 0;
        state = header;
        visitor.startRead();
    }

    private int skipLine(byte[] buffer, int from, int to, State next) {
        int end = lineEnd(buffer, from, to);
        return afterLine(end, to, next);
    }

    private int startFastaLine(byte[] buffer, int at) {
        if (buffer[at] == '>') {
            startRead(State.FASTA_HEADER);
            return at + 1;
        }
        state = State.FASTA_LINE;
        return at;
    }

    private int readFastaLine(byte[] buffer, int from, int to) {
        int end = lineEnd(buffer, from, to);
        visitor.bases(buffer, from, trimmed(buffer, from, end));
        return afterLine(end, to, State.FASTA_LINE_START);
    }

    private int startFastqLine(byte[] buffer, int at) {
        if (buffer[at] == '@') {
            throw new InputException(file, "read " + reads + " has no '+' line before the next read begins");
        }
        if (buffer[at] == '+') {
            state = State.SEPARATOR;
            return at + 1;
        }
        state = State.FASTQ_LINE;
        return at;
    }

    private int readFastqLine(byte[] buffer, int from, int to) {
        int end = lineEnd(buffer, from, to);
        int trimmed = trimmed(buffer, from, end);
        visitor.bases(buffer, from, trimmed);
        bases += trimmed - from;
        if (end < to && bases > 0) {
            lines++;
        }
        return afterLine(end, to, State.FASTQ_LINE_START);
    }

    private int readQualities(byte[] buffer, int from, int to) {
        int end = lineEnd(buffer, from, to);
        qualities += trimmed(buffer, from, end) - from;
        if (end == to) {
            return to;
        }
        if (qualities > bases || qualities < bases && lines == 1) {
            throw mismatch();
        }
        return afterLine(end, to, qualities == bases ? State.RECORD_START : State.QUALITY);
    }

    private int afterLine(int end, int to, State next) {
        if (end == to) {
            return to;
        }
        state = next;
        return end + 1;
    }

    /** Returns the end without the CR of a CR LF, even if the buffer ends between the two. */
    private static int trimmed(byte[] buffer, int from, int end) {
        return end > from && buffer[end - 1] == '\r' ? end - 1 : end;
    }

    /**
     * Returns the index of the next LF, or {@code to}. Looks at eight bytes at a time, since most lines are only
     * skipped.
     */
    private static int lineEnd(byte[] buffer, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long differing = (long) EIGHT_BYTES.get(buffer, at) ^ LINE_FEEDS;
            // Only the lowest bit set is exact.
            long lineFeeds = differing - LOW_BITS & ~differing & HIGH_BITS;
            if (lineFeeds != 0) {
                return at + Long.numberOfTrailingZeros(lineFeeds) / Byte.SIZE;
            }
        }
        while (at < to && buffer[at] != '\n') {
            at++;
        }
        return at;
    }

    private InputException unexpected(byte found) {
        String shown = found > ' ' && found < 127 ? "'" + (char) found + "'" : "byte " + Byte.toUnsignedInt(found);
        return new InputException(file, reads == 0
                ? "is neither FASTA nor FASTQ, it begins with " + shown
                : "read " + reads + " is followed by " + shown + " instead of '" + (char) marker + "'");
    }

    private InputException mismatch() {
        return new InputException(file, "read " + reads + " has " + bases + " bases and " + qualities + " qualities");
    }

    private InputException truncated() {
        return new InputException(file, "ends within read " + reads);
    }
}
