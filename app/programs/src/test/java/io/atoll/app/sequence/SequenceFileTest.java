package io.atoll.app.sequence;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.app.sequence.kmer.KmerScanner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequenceFileTest {

    private static final int K = 21;

    @TempDir
    Path folder;
    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("reads");
    }

    private static byte[] reads(int count) {
        RandomGenerator random = RandomGenerator.getDefault();
        StringBuilder text = new StringBuilder();
        for (int read = 0; read < count; read++) {
            int length = random.nextInt(1, 300);
            text.append("@read").append(read).append('\n');
            random.ints(length, 0, 4).map("ACGT"::charAt).forEach(text::appendCodePoint);
            text.append("\n+\n").append("I".repeat(length)).append('\n');
        }
        return text.toString().getBytes(US_ASCII);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream stream = new GZIPOutputStream(bytes)) {
            stream.write(plain);
        }
        return bytes.toByteArray();
    }

    /**
     * Adds every optional field of RFC 1952 to a member: extra (as bgzip has it), name, comment and header checksum.
     */
    private static byte[] withFields(byte[] member) {
        byte[] fields = {6, 0, 'B', 'C', 2, 0, 0, 0, 'n', 'a', 'm', 'e', 0, 'n', 'o', 't', 'e', 0, 0, 0};
        byte[] result = new byte[member.length + fields.length];
        System.arraycopy(member, 0, result, 0, 10);
        System.arraycopy(fields, 0, result, 10, fields.length);
        System.arraycopy(member, 10, result, 10 + fields.length, member.length - 10);
        result[3] = 2 | 4 | 8 | 16;
        return result;
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    /** Returns a number of k-mers that also depends on their values. */
    private long visit(byte[] content) throws IOException {
        Files.write(file, content);
        AtomicLong sum = new AtomicLong();
        AtomicLong consumed = new AtomicLong();
        new SequenceFile(file.toString()).visit(new KmerScanner(K, 0, 1, kmer -> sum.addAndGet(kmer * kmer + 1)),
                consumed::set);
        assertThat(consumed).hasValue(content.length);
        return sum.get();
    }

    @Test
    void gzipGivesWhatPlainGives() throws IOException {
        byte[] plain = reads(5000);
        assertThat(visit(gzip(plain))).isEqualTo(visit(plain));
    }

    @Test
    void everyMemberOfAGzipFileIsRead() throws IOException {
        byte[] plain = reads(3000);
        byte[][] members = new byte[plain.length / 4000 + 2][];
        for (int member = 0; member < members.length - 1; member++) {
            byte[] part = Arrays.copyOfRange(plain, member * 4000, Math.min(plain.length, (member + 1) * 4000));
            members[member] = member % 2 == 0 ? gzip(part) : withFields(gzip(part));
        }
        // bgzip ends its files like this.
        members[members.length - 1] = gzip(new byte[0]);
        long expected = visit(plain);
        assertThat(visit(join(members))).isEqualTo(expected);
        assertThat(visit(join(join(members), new byte[1000]))).as("padded").isEqualTo(expected);
    }

    @Test
    void whereverAGzipFileIsCutItIsRefused() throws IOException {
        byte[] first = gzip(reads(2));
        byte[] whole = join(first, withFields(gzip(reads(2))));
        for (int length = 2; length < whole.length; length++) {
            if (length == first.length) {
                // This is a complete file, as far as a reader can tell.
                continue;
            }
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> visit(cut)).as("length " + length)
                    .isInstanceOf(InputException.class)
                    .hasMessage(file + ": the gzip data end too early, the file is truncated");
        }
    }

    @Test
    void damagedGzipIsRefused() throws IOException {
        byte[] good = gzip(reads(100));
        byte[] badData = good.clone();
        Arrays.fill(badData, good.length / 2, good.length / 2 + 50, (byte) 0x55);
        byte[] badChecksum = good.clone();
        badChecksum[good.length - 7]++;
        byte[] badLength = good.clone();
        badLength[good.length - 1]++;
        for (byte[] bad : new byte[][]{badData, badChecksum, badLength, join(good, "more".getBytes(US_ASCII))}) {
            assertThatThrownBy(() -> visit(bad)).isInstanceOf(InputException.class)
                    .hasMessageContaining("the gzip data are damaged");
        }
    }

    @Test
    void whatIsNotAFileOfReadsIsRefused() throws IOException {
        assertThatThrownBy(() -> new SequenceFile(file.toString()).bytes()).hasMessage(file + ": does not exist");
        assertThatThrownBy(() -> new SequenceFile(folder.toString()).bytes())
                .hasMessage(folder + ": is a directory, not a file");
        assertThatThrownBy(() -> new SequenceFile("/dev/null").bytes())
                .hasMessage("/dev/null: is not a regular file, so not every rank can read it");
        assertThatThrownBy(() -> visit("no reads".getBytes(US_ASCII)))
                .hasMessage(file + ": is neither FASTA nor FASTQ, it begins with 'n'");
        assertThatThrownBy(() -> visit(gzip("no reads".getBytes(US_ASCII))))
                .hasMessage(file + ": is neither FASTA nor FASTQ, it begins with 'n'");
    }
}
