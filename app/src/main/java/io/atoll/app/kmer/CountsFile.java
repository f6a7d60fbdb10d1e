package io.atoll.app.kmer;

import io.atoll.app.job.JobException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * Where a job leaves its {@code KMER<tab>COUNT} lines. They are written to another file beside it, which takes its place as a whole at
 * the end, so that nobody ever finds half of them.
 *
 * @param unfinished the file to write
 */
record CountsFile(Path place, Path unfinished) {

    /** Every job writes to a file of its own: one that was killed, perhaps under the same process number, may have left another. */
    static CountsFile at(Path place) {
        return new CountsFile(place, place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID()));
    }

    /** Fails before any work is done that would turn out to be in vain. */
    void requireWritable() {
        if (Files.exists(place) && !Files.isRegularFile(place)) {
            throw new JobException("--out is not a regular file: " + place);
        }
        if (!Files.isWritable(place.toAbsolutePath().getParent())) {
            throw new JobException("--out is in a folder that does not exist or cannot be written: " + place);
        }
    }

    /** Puts the written file in its place; an older one there is replaced. */
    void finish() {
        try {
            Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new JobException("--out cannot be written: " + failure, failure);
        }
    }
}
