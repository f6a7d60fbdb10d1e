package io.atoll.app.job;

import io.atoll.app.command.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files that live no longer than a job: a folder of its own in shared memory for the segments, and perhaps a result
 * until it is complete. The parent and the ranks know all these files, so that the last process left can remove them.
 *
 * @param folder readable by its user only; its name is unique on the host, and is the world's name
 * @param unfinished the file that becomes the job's result; the parent makes it, the ranks write it
 */
public record JobFiles(Path folder, Optional<Path> unfinished) {

    /**
     * Makes the files.
     *
     * @param sharedMemory where the folder is made
     * @throws CommandException if they cannot be made
     */
    public static JobFiles create(String job, Path sharedMemory, Optional<Path> unfinished) {
        JobFiles files = new JobFiles(createFolder(job, sharedMemory), unfinished);
        try {
            if (unfinished.isPresent()) {
                Files.createFile(unfinished.get());
            }
            return files;
        } catch (IOException failure) {
            files.removeFolder();
            throw new CommandException("cannot make the file " + unfinished.get() + ": " + failure, failure);
        }
    }

    private static Path createFolder(String job, Path sharedMemory) {
        String prefix = "atoll-" + job + "-" + ProcessHandle.current().pid() + "-";
        try {
            return Files.createTempDirectory(sharedMemory, prefix);
        } catch (IOException failure) {
            throw new CommandException("cannot make a folder in " + sharedMemory + ": " + failure, failure);
        }
    }

    String world() {
        return folder.getFileName().toString();
    }

    /**
     * Removes the files that exist. When this returns, no rank can make a file in the folder any more, not even a
     * starting one. The folder goes only when it is empty, and ranks do not make it.
     */
    public void remove() {
        try {
            if (unfinished.isPresent()) {
                Files.deleteIfExists(unfinished.get());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot remove the unfinished result: file=" + unfinished.get(), failure);
        } finally {
            removeFolder();
        }
    }

    private void removeFolder() {
        boolean removed = false;
        while (!removed) {
            removed = tryRemoveFolder();
        }
    }

    private boolean tryRemoveFolder() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.delete(folder);
            return true;
        } catch (NoSuchFileException removedByAnother) {
            return true;
        } catch (DirectoryNotEmptyException aRankIsStillStarting) {
            return false;
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot remove the job's files: folder=" + folder, failure);
        }
    }
}
