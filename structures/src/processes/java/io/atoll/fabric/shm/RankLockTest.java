package io.atoll.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.process.ChildProcess;
import io.atoll.process.LoadedProgram;
import io.atoll.process.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that one process at a time has a rank, whatever other processes ask for or look at. This also holds if a
 * process is paused or dies.
 */
@Tag("processes")
class RankLockTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int THREADS = 3;
    private static final int CLAIMS = 200;

    /** Another process that uses a lock. */
    static final class Locking implements Program {

        private @Nullable RankLock held;

        @Override
        public String obey(String command, List<String> arguments) throws Exception {
            Path file = Path.of(arguments.getFirst());
            return switch (command) {
                case "claim" -> claim(file);
                case "release" -> release();
                case "alive" -> "" + RankLock.isAlive(file);
                case "exchange" -> exchange(file);
                case "contend" -> "" + contend(file, Path.of(arguments.get(1)));
                default -> throw new IllegalArgumentException("no such command: command=" + command);
            };
        }

        private String claim(Path file) throws IOException {
            Optional<RankLock> claimed = RankLock.tryClaim(file, Duration.ZERO);
            if (claimed.isEmpty()) {
                return "taken";
            }
            held = claimed.get();
            held.announce();
            return "claimed";
        }

        /**
         * Takes the lock and replaces the properties of this process, for good. Returns what the code of another class
         * loader sees.
         */
        private String exchange(Path file) throws IOException {
            claim(file);
            try (LoadedProgram loaded = LoadedProgram.start(Locking.class)) {
                System.setProperties(new Properties());
                return loaded.ask("alive " + file);
            }
        }

        private String release() throws IOException {
            if (held == null) {
                throw new IllegalStateException("nothing is held");
            }
            held.close();
            return "released";
        }

        @Override
        public void close() {
            // The kernel releases the lock.
        }
    }

    @TempDir
    Path folder;

    private Path file;
    private ChildProcess other;

    @BeforeEach
    void start() {
        file = folder.resolve("rank.lock");
        other = ChildProcess.start(Locking.class);
    }

    @AfterEach
    void end() {
        other.close();
    }

    private static RankLock claim(Path file) throws IOException {
        RankLock lock = RankLock.tryClaim(file, Duration.ZERO).orElseThrow();
        lock.announce();
        return lock;
    }

    /**
     * Lets threads of this process take the lock and give it back. Returns how often a holder of the lock was not
     * alone, or was not seen as alive.
     */
    private static long contend(Path file, Path witness) throws Exception {
        try (Arena arena = Arena.ofShared(); ExecutorService threads = Executors.newCachedThreadPool()) {
            LocalMemory holders = new MappedMemory(
                    FileChannel.open(witness, StandardOpenOption.READ, StandardOpenOption.WRITE)
                            .map(MapMode.READ_WRITE, 0, 64, arena));
            List<Callable<Long>> claimants = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                claimants.add(() -> takeInTurns(file, holders));
            }
            long overlaps = 0;
            for (Future<Long> each : threads.invokeAll(claimants)) {
                overlaps += each.get();
            }
            return overlaps;
        }
    }

    private static long takeInTurns(Path file, LocalMemory holders) throws IOException {
        long overlaps = 0;
        for (int claim = 0; claim < CLAIMS; claim++) {
            try (RankLock lock = RankLock.tryClaim(file, SOON).orElseThrow()) {
                overlaps += holders.getAndAdd(0, 1) == 0 ? 0 : 1;
                lock.announce();
                overlaps += RankLock.isAlive(file) ? 0 : 1;
                holders.getAndAdd(0, -1);
                holders.getAndAdd(8, 1);
            }
            RankLock.isAlive(file);
        }
        return overlaps;
    }

    @Test
    void ofManyThreadsOfManyProcessesExactlyOneHoldsIt() throws Exception {
        Path witness = Files.write(folder.resolve("witness"), new byte[64]);
        try (ChildProcess third = ChildProcess.start(Locking.class)) {
            List<CompletableFuture<String>> others = List.of(
                    other.tell("contend " + file + " " + witness), third.tell("contend " + file + " " + witness));
            assertThat(contend(file, witness)).isZero();
            assertThat(others).allSatisfy(overlaps -> assertThat(overlaps).succeedsWithin(SOON).isEqualTo("0"));
        }
        assertThat(Files.readAllBytes(witness)[0]).isZero();
        assertThat(ByteBuffer.wrap(Files.readAllBytes(witness)).order(ByteOrder.nativeOrder()).getLong(8))
                .isEqualTo(3 * THREADS * CLAIMS);
    }

    @Test
    void aProcessThatIsPausedHoldsItAndOneThatIsKilledDoesNot() throws IOException {
        assertThat(other.ask("claim " + file)).isEqualTo("claimed");
        other.pause();
        assertThat(RankLock.isAlive(file)).isTrue();
        assertThat(RankLock.tryClaim(file, Duration.ofMillis(50))).isEmpty();
        other.kill();
        assertThat(RankLock.isAlive(file)).isFalse();
        claim(file).close();
    }

    /**
     * Shows the rule of the kernel around which {@link RankLock} is built. If the rule did not hold, the next test
     * would prove nothing.
     */
    @Test
    void aDescriptorOfTheFileThatAnythingElseClosesLosesTheLock() throws IOException {
        try (RankLock _ = claim(file)) {
            assertThat(other.ask("alive " + file)).isEqualTo("true");
            FileChannel.open(file, StandardOpenOption.READ).close();
            assertThat(other.ask("alive " + file)).isEqualTo("false");
            assertThat(other.ask("claim " + file)).isEqualTo("claimed");
        }
    }

    @Test
    void itsOwnProcessMayLookAtItAndClaimItByAnyNameAndKeepsIt() throws IOException {
        Path otherFolder = Files.createSymbolicLink(folder.resolveSibling(folder.getFileName() + "-link"), folder);
        try (RankLock lock = claim(file)) {
            Path hardLink = Files.createLink(folder.resolve("hard"), file);
            for (Path name : List.of(file, folder.resolve("./rank.lock"), otherFolder.resolve("rank.lock"),
                    hardLink)) {
                assertThat(RankLock.isAlive(name)).isTrue();
                assertThat(RankLock.tryClaim(name, Duration.ZERO)).isEmpty();
            }
            Path link = Files.createSymbolicLink(folder.resolve("link"), file);
            assertThat(RankLock.isAlive(link)).isTrue();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> RankLock.tryClaim(link, Duration.ZERO));
            assertThat(lock.isStillInPlace()).isTrue();
            assertThat(other.ask("alive " + file)).isEqualTo("true");
            assertThat(other.ask("claim " + file)).isEqualTo("taken");
        } finally {
            Files.delete(otherFolder);
        }
        assertThat(other.ask("claim " + file)).isEqualTo("claimed");
    }

    @Test
    void whatAnotherClassLoaderOfThisProcessHoldsIsSeenAndStaysHeld() throws IOException {
        try (LoadedProgram loaded = LoadedProgram.start(Locking.class)) {
            assertThat(loaded.ask("claim " + file)).isEqualTo("claimed");
            assertThat(RankLock.isAlive(file)).isTrue();
            assertThat(RankLock.tryClaim(file, Duration.ZERO)).isEmpty();
            assertThat(other.ask("alive " + file)).isEqualTo("true");
            assertThat(other.ask("claim " + file)).isEqualTo("taken");

            loaded.ask("release " + file);
            assertThat(RankLock.isAlive(file)).isFalse();
            try (RankLock _ = claim(file)) {
                assertThat(loaded.ask("alive " + file)).isEqualTo("true");
                assertThat(loaded.ask("claim " + file)).isEqualTo("taken");
                assertThat(other.ask("alive " + file)).isEqualTo("true");
            }
            assertThat(loaded.ask("alive " + file)).isEqualTo("false");
        }
    }

    /**
     * Tests and containers replace all properties. Another process does so here, because the properties of this process
     * belong to other tests, too.
     */
    @Test
    void theSystemsPropertiesMayBeExchangedMeanwhile() throws IOException {
        assertThat(other.ask("exchange " + file)).isEqualTo("true");
        assertThat(RankLock.isAlive(file)).as("as another process sees it").isTrue();
    }

    @Test
    void ofManyThreadsOfTwoClassLoadersAndAnotherProcessExactlyOneHoldsIt() throws Exception {
        Path witness = Files.write(folder.resolve("witness"), new byte[64]);
        String contend = "contend " + file + " " + witness;
        try (LoadedProgram loaded = LoadedProgram.start(Locking.class)) {
            // Loads the classes that the program needs.
            assertThat(loaded.ask("alive " + file)).isEqualTo("false");
            List<CompletableFuture<String>> others = List.of(other.tell(contend),
                    CompletableFuture.supplyAsync(() -> loaded.ask(contend)));
            assertThat(contend(file, witness)).isZero();
            assertThat(others).allSatisfy(overlaps -> assertThat(overlaps).succeedsWithin(SOON).isEqualTo("0"));
        }
        assertThat(ByteBuffer.wrap(Files.readAllBytes(witness)).order(ByteOrder.nativeOrder()).getLong(8))
                .isEqualTo(3 * THREADS * CLAIMS);
    }

    @Test
    void whoeverGivesItBackTwiceTakesItFromNobody() throws IOException {
        RankLock first = claim(file);
        first.close();
        try (RankLock _ = claim(file)) {
            first.close();
            assertThat(RankLock.tryClaim(file, Duration.ZERO)).isEmpty();
            assertThat(other.ask("alive " + file)).isEqualTo("true");
        }
    }

    @Test
    void aFileThatWasRemovedIsNobodysAndTheNextOneOfItsNameIsAnother() throws IOException {
        RankLock first = claim(file);
        Files.delete(file);
        assertThat(RankLock.isAlive(file)).isFalse();
        assertThat(first.isStillInPlace()).isFalse();
        try (RankLock second = claim(file)) {
            assertThat(second.isStillInPlace()).isTrue();
            assertThat(first.isStillInPlace()).isFalse();
            first.close();
            assertThat(other.ask("alive " + file)).isEqualTo("true");
        }
    }

    @Test
    void anInterruptedThreadCanClaimLookAndGiveBack() throws IOException {
        Thread.currentThread().interrupt();
        try (RankLock _ = claim(file)) {
            assertThat(RankLock.isAlive(file)).isTrue();
        }
        assertThat(RankLock.isAlive(file)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void claimingAndLookingLeaveNoDescriptorBehind() throws IOException {
        assertThat(other.ask("claim " + file)).isEqualTo("claimed");
        Path free = folder.resolve("free.lock");
        claim(free).close();
        long before = descriptors();
        for (int round = 0; round < 200; round++) {
            assertThat(RankLock.tryClaim(file, Duration.ZERO)).isEmpty();
            assertThat(RankLock.isAlive(file)).isTrue();
            claim(free).close();
        }
        assertThat(descriptors()).isEqualTo(before);
    }

    /**
     * Returns the number of open descriptors of files in the folder. Other threads open and close the other files of
     * this process meanwhile.
     */
    private long descriptors() throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(this::isOfTheFolder).count();
        }
    }

    private boolean isOfTheFolder(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(folder);
        } catch (NoSuchFileException closed) {
            return false;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
