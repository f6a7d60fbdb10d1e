package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.Fabrics;
import io.atoll.fabric.FabricType;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests the conditions for taking part, and the messages for processes that do not meet them. */
class RefusedAttachmentTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-refused", 2);

    @TempDir
    private Path folder;

    @Test
    @DisabledIf(value = "io.atoll.fabric.rdma.RdmaDevice#isPresent", disabledReason = "there is an RDMA device")
    void withoutADeviceTheRefusalSaysSoAndNothingIsLeft() throws IOException {
        FabricType verbs = new Rdma(Fabrics.sharedMemory(folder, false));

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> verbs.attach(WORLD, OptionalInt.of(0), 64 << 10))
                .withMessageContaining("no RDMA device")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_RDMA_DEVICE));
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void settingsOutOfTheirRangesAreRefused() {
        FabricType segments = Fabrics.sharedMemory();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rdma(segments, RdmaAddress.FIRST, 0, 256, null, List.of()))
                .withMessageEndingWith("queuePairs=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rdma(segments, RdmaAddress.FIRST, 1, 63, null, List.of()))
                .withMessageEndingWith("depth=63");
        assertThatIllegalArgumentException().isThrownBy(() -> new RdmaAddress(null, 0, null, null, 0))
                .withMessageEndingWith("devicePort=0");
        assertThatIllegalArgumentException().isThrownBy(() -> new RdmaAddress(null, 1, -1, null, 0))
                .withMessageEndingWith("gidIndex=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> new RdmaAddress(null, 1, null, null, 65_536))
                .withMessageEndingWith("port=65536");
    }

    @Test
    void aFirstPortThatLeavesTooFewForAllRanksIsRefused() {
        Rdma rdma = new Rdma(Fabrics.sharedMemory(folder, false), new RdmaAddress(null, 1, null, null, 65_535), 1, 64,
                null, List.of());
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> rdma.attach(WORLD, OptionalInt.of(0), 64 << 10))
                .withMessageContaining("ports end at 65535")
                .withMessageContaining("port=65535");
    }

    @Test
    void anAddressIsAHostAndAPort() {
        assertThat(Rdma.address("node7:18515")).isEqualTo(InetSocketAddress.createUnresolved("node7", 18_515));
        assertThat(Rdma.address("[2001:db8::8]:1").getHostString()).isEqualTo("[2001:db8::8]");
        for (String wrong : List.of("", "node7", "node7:", ":18515", "node7:0", "node7:x", "node7:18515/2", "a b:1")) {
            assertThatIllegalArgumentException().isThrownBy(() -> Rdma.address(wrong))
                    .withMessageEndingWith("host:port is needed: address=" + wrong);
        }
        List<InetSocketAddress> list = List.of(Rdma.address("node7:18515"));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new Rdma(Fabrics.sharedMemory(), new RdmaAddress("mlx5_0", 1, null, null, 0), 1, 64, null,
                                list))
                .withMessageContaining("place=");
    }

    @Test
    void whoHasAListOfAddressesIsToldItsRankAndEachRankHasOne() throws IOException {
        Rdma rdma = new Rdma(Fabrics.sharedMemory(folder, false))
                .at(List.of(Rdma.address("node7:18515"), Rdma.address("node8:18515")));

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> rdma.attach(WORLD, OptionalInt.empty(), 64 << 10))
                .withMessageEndingWith("rank=none");
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> rdma.attach(new WorldIdentity("verbs-refused", 3), OptionalInt.of(0), 64 << 10))
                .withMessageEndingWith("addresses=2 size=3");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aWorldOfOneNeedsNoDevice() {
        Fabrics.rdma().attach(new WorldIdentity("verbs-alone", 1), OptionalInt.empty(), 64 << 10).close();
    }

    /** Root may lock any amount of memory unless it gives this right up. */
    @NeedsRdmaDevice
    static class LockedMemoryTest {

        @TempDir
        private Path folder;

        @Test
        void memoryThatMayNotBeLockedIsRefusedWithTheLimitsName() throws Exception {
            Process process = new ProcessBuilder(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock",
                    "prlimit", "--memlock=65536:65536",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-cp",
                    System.getProperty("java.class.path"), Attaching.class.getName(), folder.toString()))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes());

            assertThat(process.waitFor()).as(output).isZero();
            assertThat(output).contains(Reason.LOCKED_MEMORY.name(), "ulimit -l", "memlock", "bytes=1048576");
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left).isEmpty();
            }
        }
    }

    /** A process that tries to take part, and prints the reason of the refusal. */
    static final class Attaching {

        private Attaching() {}

        public static void main(String[] arguments) {
            FabricType verbs = new Rdma(Fabrics.sharedMemory(Path.of(arguments[0]), false));
            try {
                verbs.attach(WORLD, OptionalInt.of(0), 1 << 20).close();
                System.out.println("attached");
            } catch (JoinRefusedException refused) {
                System.out.println(refused.reason() + ": " + refused.getMessage());
            }
        }
    }
}
