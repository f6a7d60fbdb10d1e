package io.atoll.fabric.shm;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.MemoryPlace;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The file of one rank's segment. */
record SegmentFile(WorldFiles files, WorldIdentity world, int rank) {

    /** The bytes of a page. A segment has whole pages. */
    public static final long PAGE_BYTES = 4096;

    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final int FILL_BYTES = 1 << 20;

    private Path path() {
        return files.segment(rank);
    }

    /** Returns the lock file of the rank. */
    public Path lock() {
        return files.lock(rank);
    }

    public boolean exists() {
        return Files.exists(path(), LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the place of the memory behind the file, on this host. */
    public MemoryPlace place(Kernel kernel) throws IOException {
        return kernel.place(path());
    }

    /** Returns true if the mapping is of the file that has this name now. */
    public boolean isStill(Mapping mapping) throws IOException {
        try {
            return identity(path()).equals(mapping.identity());
        } catch (NoSuchFileException removed) {
            return false;
        }
    }

    private static Object identity(Path file) throws IOException {
        return Objects.requireNonNull(
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey());
    }

    /**
     * Makes the file, filled with zeros except for its header. It writes the zeros and does not merely seek over them.
     * So the kernel gives the memory now or refuses it now. With holes in the file, some later store could end in a bus
     * error. The file receives its name once its header is written. So a file with the name and without a header is no
     * segment. The former file of that name is removed first: a folder may have room for one only.
     */
    public Mapping create(long bytes, Consumer<LocalMemory> header) throws IOException {
        Path unfinished = files.unfinishedSegment(rank);
        Files.deleteIfExists(unfinished);
        Files.deleteIfExists(path());
        long available = Files.getFileStore(files.folder()).getUsableSpace();
        if (available < bytes) {
            throw noSpace(bytes, available, null);
        }
        try (FileChannel channel = FileChannel.open(unfinished,
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), OWNER_ONLY)) {
            fill(channel, bytes);
            Mapping mapping = Mapping.of(rank, channel, identity(unfinished));
            header.accept(mapping.memory());
            Files.move(unfinished, path(), StandardCopyOption.ATOMIC_MOVE);
            return mapping;
        } catch (IOException | RuntimeException | Error failure) {
            Files.deleteIfExists(unfinished);
            throw failure;
        }
    }

    private JoinRefusedException noSpace(long bytes, long available, @Nullable IOException cause) {
        return new JoinRefusedException(Reason.NO_SPACE,
                "the segment does not fit, make it smaller or the folder larger: folder=" + files.folder()
                        + " askedBytes=" + bytes + " availableBytes=" + available,
                cause);
    }

    /**
     * Fills the file with zeros. If others take memory meanwhile, none may be left for this file. The bytes written
     * until then were all that was available.
     */
    private void fill(FileChannel channel, long bytes) throws IOException {
        long written = 0;
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer zeros = arena.allocate(FILL_BYTES).asByteBuffer();
            while (written < bytes) {
                written += channel.write(zeros.rewind().limit((int) Math.min(bytes - written, FILL_BYTES)));
            }
        } catch (ClosedByInterruptException interrupted) {
            throw interrupted;
        } catch (IOException full) {
            throw noSpace(bytes, written, full);
        }
    }

    /**
     * Maps the file.
     *
     * @throws JoinRefusedException if it belongs to another user
     * @throws LayoutMismatchException if it is not this rank's segment of that size
     */
    public Mapping map(long bytes) throws IOException {
        FileOwner.refuseForeign(path());
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.READ, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS)) {
            checkHeader(readHeader(), bytes, channel.size());
            return Mapping.of(rank, channel, identity(path()));
        }
    }

    private void checkHeader(LocalMemory header, long expectedBytes, long foundBytes) {
        SegmentHeader.check(header, world, rank, expectedBytes);
        if (foundBytes != expectedBytes) {
            throw new LayoutMismatchException("a segment that is cut off, remove its file",
                    "file=" + path() + " expected=" + expectedBytes + " found=" + foundBytes, rank);
        }
    }

    /**
     * Returns the header as it is now, without mapping the file. Returns empty if there is no file.
     *
     * @throws JoinRefusedException if it belongs to another user
     * @throws LayoutMismatchException if it is not this rank's segment of that size
     */
    public Optional<LocalMemory> header(long bytes) throws IOException {
        try {
            FileOwner.refuseForeign(path());
            LocalMemory header = readHeader();
            checkHeader(header, bytes, Files.size(path()));
            return Optional.of(header);
        } catch (NoSuchFileException notStartedYet) {
            return Optional.empty();
        }
    }

    /**
     * Copies from the file as it is now, without mapping it.
     *
     * @return false if there is no file
     * @throws JoinRefusedException if it belongs to another user
     * @throws LayoutMismatchException if it is not this rank's segment of that size
     */
    public boolean read(long segmentBytes, long offset, MemorySegment into) throws IOException {
        if (header(segmentBytes).isEmpty()) {
            return false;
        }
        // By a stream, as in readHeader; skipping seeks.
        try (InputStream stream = Files.newInputStream(path(), LinkOption.NOFOLLOW_LINKS)) {
            stream.skipNBytes(offset);
            byte[] bytes = stream.readNBytes(Math.toIntExact(into.byteSize()));
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, into, 0, bytes.length);
            return bytes.length == into.byteSize();
        } catch (NoSuchFileException | EOFException removed) {
            return false;
        }
    }

    /**
     * Reads the header; missing bytes read as zeros. By a stream, because an interruption of the thread would close a
     * channel.
     */
    private LocalMemory readHeader() throws IOException {
        try (InputStream stream = Files.newInputStream(path(), LinkOption.NOFOLLOW_LINKS)) {
            MemorySegment copy = MemorySegment.ofArray(
                    new long[Math.toIntExact(SegmentHeader.size(world.maxSize()) / Layouts.WORD)]);
            byte[] bytes = stream.readNBytes(Math.toIntExact(copy.byteSize()));
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, copy, 0, bytes.length);
            return new MappedMemory(copy);
        }
    }

    /** Removes the file and the files that belong to it. The caller must hold the rank's lock. */
    public void remove() throws IOException {
        files.remove(rank);
    }
}
