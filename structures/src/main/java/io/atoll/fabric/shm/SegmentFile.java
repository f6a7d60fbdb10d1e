package io.atoll.fabric.shm;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The file of one rank's segment. */
record SegmentFile(Path folder, WorldIdentity world, int rank) {

    static final long PAGE_BYTES = 4096;

    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final int FILL_BYTES = 1 << 20;

    static boolean belongsTo(String worldName, Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(prefix(worldName))
                && name.substring(prefix(worldName).length()).matches("[0-9]+\\.(segment|new|lock)|leave\\.lock");
    }

    private static String prefix(String worldName) {
        return "atoll-" + worldName + "-";
    }

    private Path path(String suffix) {
        return folder.resolve(prefix(world.name()) + rank + suffix);
    }

    Path segment() {
        return path(".segment");
    }

    Path lock() {
        return path(".lock");
    }

    /** Held by the one rank at a time that finds out whether it is the last to leave. */
    Path leaveLock() {
        return folder.resolve(prefix(world.name()) + "leave.lock");
    }

    boolean exists() {
        return Files.exists(segment(), LinkOption.NOFOLLOW_LINKS);
    }

    /** Tells this file from another of its name at another time. */
    Object identity() {
        try {
            return Objects.requireNonNull(
                    Files.readAttributes(segment(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey());
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look at a segment's file: file=" + segment(), failure);
        }
    }

    /**
     * Makes the file, filled with zeros. Zeros are written, not just sought over: the kernel gives the memory now or refuses it now, where a
     * file with holes would end in a bus error at some later store.
     */
    void create(long bytes) {
        Path unfinished = path(".new");
        try {
            Files.deleteIfExists(unfinished);
            long available = Files.getFileStore(folder).getUsableSpace();
            if (available < bytes) {
                throw noSpace(bytes, available, null);
            }
            fill(unfinished, bytes, available);
            Files.move(unfinished, segment(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot make a segment's file: file=" + segment(), failure);
        }
    }

    private void fill(Path file, long bytes, long available) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_BYTES);
        try (FileChannel channel = FileChannel.open(file,
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), OWNER_ONLY)) {
            for (long left = bytes; left > 0;) {
                left -= channel.write(zeros.rewind().limit((int) Math.min(left, FILL_BYTES)));
            }
        } catch (IOException failure) {
            Files.deleteIfExists(file);
            throw noSpace(bytes, available, failure);
        }
    }

    private JoinRefusedException noSpace(long bytes, long available, @Nullable IOException cause) {
        String message = "the segment does not fit, make it smaller or the folder larger: folder=" + folder
                + " askedBytes=" + bytes + " availableBytes="
                + available;
        return cause == null
                ? new JoinRefusedException(Reason.NO_SPACE, message)
                : new JoinRefusedException(Reason.NO_SPACE, message, cause);
    }

    /** Maps the whole file. */
    MappedMemory map(Arena arena) {
        try (FileChannel channel = FileChannel.open(segment(), StandardOpenOption.READ, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS)) {
            long bytes = channel.size();
            if (bytes == 0 || bytes % PAGE_BYTES != 0) {
                throw new LayoutMismatchException("not a segment of Atoll: file=" + segment() + " bytes=" + bytes,
                        rank);
            }
            return new MappedMemory(channel.map(MapMode.READ_WRITE, 0, bytes, arena));
        } catch (AccessDeniedException failure) {
            throw foreign(segment(), failure);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot map a segment's file: file=" + segment(), failure);
        }
    }

    /** The header as it is now, without mapping the file; nothing where there is no file or no header yet. */
    Optional<LocalMemory> header() {
        try (FileChannel channel = FileChannel.open(segment(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            MemorySegment copy = Arena.ofAuto().allocate(SegmentHeader.size(world.size()), Layouts.CACHE_LINE);
            channel.read(copy.asByteBuffer(), 0);
            MappedMemory header = new MappedMemory(copy);
            return SegmentHeader.isWritten(header) ? Optional.of(header) : Optional.empty();
        } catch (NoSuchFileException notStartedYet) {
            return Optional.empty();
        } catch (AccessDeniedException failure) {
            throw foreign(segment(), failure);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read a segment's header: file=" + segment(), failure);
        }
    }

    static JoinRefusedException foreign(Path file, IOException cause) {
        return new JoinRefusedException(Reason.OTHER_USER,
                "the file belongs to another user, choose another world name or folder: file=" + file, cause);
    }

    void remove() throws IOException {
        Files.deleteIfExists(path(".new"));
        Files.deleteIfExists(segment());
        Files.deleteIfExists(lock());
    }
}
