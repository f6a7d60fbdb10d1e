package io.atoll.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what a start refuses, and in which words, and that it leaves what it refuses as it was. It refuses files in the
 * place of this rank's segment, or of another rank's, that are no segment of this world. It also refuses if there is
 * too little memory.
 */
class SegmentRefusalTest {

    private static final WorldIdentity WORLD = new WorldIdentity("test", 2);
    private static final long BYTES = 128 << 10;
    private static final int ROOT = 0;
    private static final int SOMEBODY = 12_345;

    @TempDir
    Path folder;

    private final List<Attachment> attached = new ArrayList<>();

    @AfterEach
    void detach() {
        attached.forEach(Attachment::close);
    }

    private Attachment attach(WorldIdentity world, int rank, long bytes) {
        Attachment attachment = new SharedMemory(folder, true).attach(world, OptionalInt.of(rank), bytes);
        attached.add(attachment);
        return attachment;
    }

    private Path segment(int rank) {
        return folder.resolve("atoll-test-" + rank + ".segment");
    }

    private List<String> files(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Makes the segment of rank 1, whose process then ends. Returns the file of the segment. */
    private Path retained(WorldIdentity world) {
        attach(world, 1, BYTES).close();
        return segment(1);
    }

    private static void patch(Path file, long offset, long word) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            bytes.writeLong(Long.reverseBytes(word));
        }
    }

    /**
     * Asserts that rank 1, whose segment it is, and rank 0 both refuse the segment. Neither changes it, and neither
     * leaves files of its own.
     */
    private void assertRefused(String message) throws IOException {
        byte[] found = Files.readAllBytes(segment(1));
        List<String> files = files(folder);
        for (int rank : new int[]{1, 0}) {
            assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(() -> attach(WORLD, rank, BYTES))
                    .withMessage(message.replace(": ", ": verb=attach rank=1 "))
                    .satisfies(refused -> assertThat(refused.rank()).isOne());
        }
        assertThat(Files.readAllBytes(segment(1))).isEqualTo(found);
        assertThat(files(folder)).containsAll(files).noneMatch(name -> name.endsWith("-0.segment"));
    }

    @Test
    void anotherLayoutVersion() throws IOException {
        patch(retained(WORLD), 8, 77);
        assertRefused("a segment of another layout version, run that version or remove its world's files:"
                + " expected=" + SegmentHeader.LAYOUT_VERSION + " found=77");
    }

    @Test
    void anotherWorldUnderThisName() throws IOException {
        attach(new WorldIdentity("other", 2), 1, BYTES).close();
        Files.move(folder.resolve("atoll-other-1.segment"), segment(1));
        assertRefused("a segment of another world, be told the same sizes, choose another name or remove its files:"
                + " expectedName=test expectedSize=2 expectedMaxSize=64 foundName=other foundSize=2 foundMaxSize=64");
    }

    @Test
    void anotherWorldSize() throws IOException {
        retained(new WorldIdentity("test", 3));
        assertRefused("a segment of another world, be told the same sizes, choose another name or remove its files:"
                + " expectedName=test expectedSize=2 expectedMaxSize=64 foundName=test foundSize=3 foundMaxSize=64");
    }

    /** The rank's own segment tells how often. If that is lost, the other ranks tell which life they met last. */
    @Test
    void aRankThatHasBeenStartedAsOftenAsItCanBe() throws IOException {
        int incarnation = 40;
        patch(retained(WORLD), incarnation, 65_534);
        try (Attachment last = attach(WORLD, 1, BYTES); Attachment peer = attach(WORLD, 0, BYTES)) {
            assertThat(last.incarnation()).isEqualTo(65_535);
            peer.connect(1, 65_535, Map.of());
        }
        byte[] found = Files.readAllBytes(segment(1));
        assertIsSpent();
        assertThat(Files.readAllBytes(segment(1))).isEqualTo(found);

        Files.delete(segment(1));
        assertIsSpent();
        assertThat(files(folder)).doesNotContain("atoll-test-1.segment");
    }

    private void assertIsSpent() {
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(() -> attach(WORLD, 1, BYTES))
                .withMessage("the rank has been started as often as it can be. Stop all processes of the world, and"
                        + " remove its files: world=test rank=1 starts=65535 folder=" + folder)
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.INCARNATIONS_SPENT));
    }

    @Test
    void anotherRank() throws IOException {
        patch(retained(WORLD), 32, 0);
        assertRefused("a segment of another rank, remove its file: expected=1 found=0");
    }

    @Test
    void anotherSegmentSize() throws IOException {
        attach(WORLD, 1, 2 * BYTES).close();
        assertRefused("a segment of another size, let all ranks ask for as much or remove the world's files:"
                + " expected=131072 found=262144");
    }

    @Test
    void garbage() throws IOException {
        Files.writeString(segment(1), "this is no segment, ".repeat(10_000));
        assertRefused(
                "not a segment of Atoll, remove its file or choose another world name: expected=5135602537248805953"
                        + " found=2338328219631577204");
    }

    @Test
    void anEmptyFile() throws IOException {
        Files.createFile(segment(1));
        assertRefused(
                "not a segment of Atoll, remove its file or choose another world name: expected=5135602537248805953"
                        + " found=0");
    }

    @Test
    void aSegmentThatIsCutOff() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(retained(WORLD).toFile(), "rw")) {
            file.setLength(BYTES / 2);
        }
        assertRefused(
                "a segment that is cut off, remove its file: file=" + segment(1) + " expected=131072 found=65536");
        try (RandomAccessFile file = new RandomAccessFile(segment(1).toFile(), "rw")) {
            file.setLength(100);
        }
        assertRefused("a segment that is cut off, remove its file: file=" + segment(1) + " expected=131072 found=100");
    }

    private static int user() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private void assertRefusedAsForeign(Path file, int rank) throws IOException {
        Files.setAttribute(file, "unix:uid", SOMEBODY);
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(() -> attach(WORLD, rank, BYTES))
                .withMessage("the file belongs to another user, choose another world name or folder: file=" + file
                        + " owner=12345 user=0")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.OTHER_USER));
        assertThat((int) Files.getAttribute(file, "unix:uid")).isEqualTo(SOMEBODY);
    }

    @Test
    void anotherUsersSegmentAndLock() throws IOException {
        assumeTrue(user() == ROOT, "only root can give a file to somebody else");
        assertRefusedAsForeign(retained(WORLD), 1);
        assertRefusedAsForeign(segment(1), 0);
        Files.delete(segment(1));
        assertRefusedAsForeign(Files.createFile(folder.resolve("other.lock")).resolveSibling("atoll-test-1.lock"), 1);
        assertThat(files(folder)).noneMatch(name -> name.endsWith(".segment"));
    }

    @Test
    void filesAreReadableByTheirUserOnly() throws IOException {
        attach(WORLD, 0, BYTES);
        attach(WORLD, 1, BYTES);
        assertThat(files(folder)).hasSize(4);
        for (String file : files(folder)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void aRankThatIsTaken() {
        attach(WORLD, 1, BYTES);
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(() -> attach(WORLD, 1, BYTES))
                .withMessage("a living process holds this rank, choose another, or none to have the first that is free:"
                        + " world=test rank=1")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.RANK_TAKEN));
    }

    @Test
    void allRanksThatAreTaken() {
        attach(WORLD, 0, BYTES);
        attach(WORLD, 1, BYTES);
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> new SharedMemory(folder, true).attach(WORLD, OptionalInt.empty(), BYTES))
                .withMessage("all ranks are taken by living processes, choose another world name or make the world"
                        + " larger: world=test size=2")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.RANK_TAKEN));
    }

    @Test
    void aFolderThatIsNotThere() {
        Path none = folder.resolve("none");
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> new SharedMemory(none, true).attach(WORLD, OptionalInt.of(0), BYTES))
                .withMessage("the segments' folder cannot be used, choose another:"
                        + " cause=java.nio.file.NoSuchFileException: " + none.resolve("atoll-test-0.lock") + " folder="
                        + none)
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.FABRIC_UNAVAILABLE));
    }

    @Test
    void bytesThatAreNoPagesAndRanksThatAreNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> attach(WORLD, 0, BYTES + 8))
                .withMessage("a segment has whole pages of 4096 bytes: segmentBytes=131080");
        assertThatIllegalArgumentException().isThrownBy(() -> attach(WORLD, 0, 0))
                .withMessage("a segment has whole pages of 4096 bytes: segmentBytes=0");
        assertThatIllegalArgumentException().isThrownBy(() -> attach(WORLD, 2, BYTES))
                .withMessage("ranks run from 0 to size - 1: rank=2 size=2");
    }

    @Test
    void memoryThatAWorldOfOneDoesNotGet() {
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(
                        () -> new SharedMemory().attach(new WorldIdentity("test", 1), OptionalInt.empty(), 1L << 50))
                .withMessage("the segment does not fit into memory, make it smaller: askedBytes=1125899906842624")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE));
    }

    // --- memory file systems that are too small ---

    /** A folder in a memory file system of this size, for as long as it is open. */
    private final class Mount implements AutoCloseable {

        final Path at = Files.createDirectory(folder.resolve("memory"));

        Mount(String size) throws IOException {
            assumeTrue(user() == ROOT && run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", at.toString()),
                    "this process may not mount a file system");
        }

        private static boolean run(String... command) throws IOException {
            return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue() == 0;
        }

        @Override
        public void close() throws IOException {
            assertThat(run("umount", at.toString())).isTrue();
        }
    }

    @Test
    void aMemoryFileSystemThatIsSmallerThanTheSegment() throws Exception {
        try (Mount mount = new Mount("1m")) {
            assertThatExceptionOfType(JoinRefusedException.class)
                    .isThrownBy(() -> new SharedMemory(mount.at, false).attach(WORLD, OptionalInt.of(0), 2 << 20))
                    .withMessage("the segment does not fit, make it smaller or the folder larger: folder=" + mount.at
                            + " askedBytes=2097152 availableBytes=1048576")
                    .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE));
            assertThat(files(mount.at)).isEmpty();
            new SharedMemory(mount.at, false).attach(WORLD, OptionalInt.of(0), 512 << 10).close();
            assertThat(files(mount.at)).isEmpty();
        }
    }

    /** The memory volume of a pod has just that room. */
    @Test
    void aFolderWithRoomForOneSegmentDoesForOneThatIsMadeAnew() throws Exception {
        try (Mount mount = new Mount("3m")) {
            SharedMemory memory = new SharedMemory(mount.at, true);
            try (Attachment attachment = memory.attach(WORLD, OptionalInt.of(0), 2 << 20)) {
                attachment.makeAnew(5);
                assertThat(attachment.incarnation()).isEqualTo(6);
                assertThat(attachment.presence(0).state()).isEqualTo(State.PRESENT);
                // This is what other ranks tell of a later life.
                SegmentHeader.remember(attachment.fabric().local(), 0, 8);
            }
            try (Attachment attachment = memory.attach(WORLD, OptionalInt.of(0), 2 << 20)) {
                assertThat(attachment.incarnation()).isEqualTo(9);
                assertThat(SegmentHeader.born(attachment.fabric().local())).isEqualTo(9);
            }
            assertThat(files(mount.at)).containsExactly("atoll-test-0.lock", "atoll-test-0.segment");
        }
    }

    /**
     * Each rank finds enough room when it looks. Then one rank, or both, run out of room while they fill their
     * segments.
     */
    @Test
    void memoryThatOthersTakeMeanwhile() throws Exception {
        try (Mount mount = new Mount("24m"); ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int round = 0; round < 20; round++) {
                List<Callable<Attachment>> starts = List.of(start(mount.at, 0), start(mount.at, 1));
                List<Attachment> successful = new ArrayList<>();
                for (Future<Attachment> start : threads.invokeAll(starts)) {
                    try {
                        successful.add(start.get());
                    } catch (ExecutionException refused) {
                        assertThat(refused.getCause()).isInstanceOf(JoinRefusedException.class)
                                .hasMessageMatching("the segment does not fit, make it smaller or the folder larger:"
                                        + " folder=.* askedBytes=16777216 availableBytes=[0-9]{1,8}");
                    }
                }
                assertThat(successful).hasSizeLessThan(2);
                assertThat(files(mount.at)).filteredOn(name -> !name.endsWith(".lock")).hasSize(successful.size());
                successful.forEach(Attachment::close);
            }
        }
    }

    private static Callable<Attachment> start(Path folder, int rank) {
        return () -> new SharedMemory(folder, false).attach(WORLD, OptionalInt.of(rank), 16 << 20);
    }
}
