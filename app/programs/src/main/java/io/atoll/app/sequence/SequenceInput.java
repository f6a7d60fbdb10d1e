package io.atoll.app.sequence;

import java.io.Serializable;
import java.util.List;

/** The files of a job, which every rank reads from beginning to end. */
public record SequenceInput(List<SequenceFile> files) implements Serializable {

    /** @param files the names of the files */
    public static SequenceInput of(List<String> files) {
        return new SequenceInput(files.stream().map(SequenceFile::new).toList());
    }

    /** Told how many bytes of all files, as they lie on disk, have been read by now. */
    @FunctionalInterface
    public interface ProgressListener {
        void update(long done, long total);
    }

    /**
     * Passes every read to the visitor.
     *
     * @return the number of reads
     * @throws InputException at the first file that is not what it should be
     */
    public long visit(SequenceVisitor visitor, ProgressListener progress) {
        long total = files.stream().mapToLong(SequenceFile::bytes).sum();
        long before = 0;
        long reads = 0;
        for (SequenceFile file : files) {
            long start = before;
            reads += file.visit(visitor, bytes -> progress.update(start + bytes, total));
            before += file.bytes();
        }
        return reads;
    }
}
