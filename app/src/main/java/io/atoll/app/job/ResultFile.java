package io.atoll.app.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * Where a job leaves its result. It is written to another file beside it, which takes its place as a whole at the end, so that nobody ever finds half
 * of it.
 *
 * @param unfinished the file to write
 */
public record ResultFile(Path place, Path unfinished) {

    /** Every job writes to a file of its own: one that was killed, perhaps under the same process number, may have left another. */
    public static ResultFile at(Path place) {
        return new ResultFile(place, place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID()));
    }

    /** Fails before any work is done that would turn out to be in vain. */
    public void requireWritable() {
        if (Files.exists(place) && !Files.isRegularFile(place)) {
            throw new JobException("--out is not a regular file: " + place);
        }
        if (!Files.isWritable(place.toAbsolutePath().getParent())) {
            throw new JobException("--out is in a folder that does not exist or cannot be written: " + place);
        }
    }

    /** Puts the written file in its place; an older one there is replaced. */
    public void finish() {
        try {
            Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new JobException("--out cannot be written: " + failure, failure);
        }
    }
}
