package io.atoll.app.job;

import io.atoll.app.command.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * The place of a job's result. The result is written to another file beside it, which replaces it as a whole at the
 * end. So a reader never finds half of a result.
 *
 * @param unfinished the file to write
 */
public record ResultFile(Path place, Path unfinished) {

    /**
     * Every job writes to a file of its own. A killed job, perhaps with the same process number, may have left another
     * one.
     */
    public static ResultFile at(Path place) {
        return new ResultFile(place, place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID()));
    }

    /** Fails early if the result cannot be written, before work is done in vain. */
    public void requireWritable() {
        if (Files.exists(place) && !Files.isRegularFile(place)) {
            throw new CommandException("the path of --out is not a regular file: " + place);
        }
        if (!Files.isWritable(place.toAbsolutePath().getParent())) {
            throw new CommandException(
                    "the folder of --out does not exist, or this user may not write there: " + place);
        }
    }

    /** Puts the written file in its place. Replaces an older one. */
    public void finish() {
        try {
            Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new CommandException("cannot write the file of --out: " + failure, failure);
        }
    }
}
