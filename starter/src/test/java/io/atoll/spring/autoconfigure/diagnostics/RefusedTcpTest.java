package io.atoll.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Tests what a user reads if the application cannot be reached by TCP, or if anybody could reach it. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedTcpTest {

    private static final String SECRET = "abracadabra, which is long enough to be one";

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    private String[] arguments(String... settings) {
        return Stream.concat(
                Stream.of("--atoll.fabric.type=tcp", "--atoll.world.size=2", "--atoll.world.rank=1",
                        "--atoll.segment.size=4MB", "--atoll.fabric.shared-memory.folder=" + folder),
                Stream.of(settings).map(setting -> "--atoll.fabric.tcp." + setting)).toArray(String[]::new);
    }

    private static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(Plain.class).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF);
    }

    private String refusal(CapturedOutput output, String... settings) {
        assertThatException().isThrownBy(() -> application().run(arguments(settings)).close());
        String text = output.getAll();
        assertThat(text).contains("APPLICATION FAILED TO START", "Description:", "Action:")
                .doesNotContain("abracadabra");
        return text;
    }

    @Test
    void beyondThisHostTheLineToAddIsShown(CapturedOutput output) {
        assertThat(refusal(output, "bind=0.0.0.0"))
                .contains("whoever reaches the port could read and write the segment", "bind=0.0.0.0")
                .contains("openssl rand -base64 32", "    atoll.fabric.tcp.secret: ${ATOLL_SECRET}",
                        "    atoll.fabric.tcp.ssl: {bundle: atoll, peers: \"*.shop.example.com\"}",
                        "    atoll.fabric.tcp.security: none");
    }

    @Test
    void aListOfOtherHostsIsBeyondThisHost(CapturedOutput output) {
        assertThat(refusal(output, "addresses=192.0.2.1:7420,192.0.2.2:7420"))
                .contains("bind=192.0.2.2", "atoll.fabric.tcp.secret: ${ATOLL_SECRET}");
    }

    @Test
    void withASecretOrWrittenOutItStarts() {
        application().run(arguments("bind=0.0.0.0", "secret=" + SECRET)).close();
        application().run(arguments("bind=0.0.0.0", "security=none")).close();
        application().run(arguments()).close();
    }

    @Test
    void aShortSecretIsNotShown(CapturedOutput output) {
        assertThat(refusal(output, "secret=abracadabra"))
                .contains("The property 'atoll.fabric.tcp.secret' is refused: it is shorter than 32 bytes.")
                .contains("openssl rand -base64 32");
    }

    @Test
    void aSecretThatAnybodyNeedNotKnowIsNamed(CapturedOutput output) {
        assertThat(refusal(output, "secret=" + SECRET, "security=none"))
                .contains("The property 'atoll.fabric.tcp.security' is refused",
                        "atoll.fabric.tcp.secret says who is")
                .contains("Remove atoll.fabric.tcp.security to let in only ranks");
    }

    @Test
    void anUnknownBundleIsNamed(CapturedOutput output) {
        assertThat(refusal(output, "ssl.bundle=ranks", "ssl.peers=*.shop"))
                .contains("The property 'atoll.fabric.tcp.ssl.bundle' is refused: there is no SSL bundle of the name"
                        + " 'ranks'")
                .contains("spring.ssl.bundle.pem.ranks.keystore");
    }

    @Test
    void anAddressOfAnotherMachineIsNamed(CapturedOutput output) {
        assertThat(refusal(output, "bind=192.0.2.1", "port=7420", "secret=" + SECRET))
                .contains("the port cannot be opened", "bind=192.0.2.1 port=7421 rank=1")
                .contains("Set atoll.fabric.tcp.bind to an address of this machine");
    }

    @Test
    void anAddressThatIsNoneIsNamed(CapturedOutput output) {
        assertThat(refusal(output, "bind=no-such-host.invalid", "secret=" + SECRET))
                .contains("there is no such host", "bind=no-such-host.invalid port=0 rank=1")
                .contains("Set atoll.fabric.tcp.bind to an address of this machine");
    }

    @Test
    void anAddressThatIsNoneIsToldBeforeTheMissingSecret(CapturedOutput output) {
        assertThat(refusal(output, "bind=no-such-host.invalid"))
                .contains("there is no such host", "bind=no-such-host.invalid port=0 rank=1")
                .doesNotContain("atoll.fabric.tcp.secret");
        assertThat(refusal(output, "addresses=no-such-host.invalid:7420,no-such-host.invalid:7421"))
                .contains("bind=no-such-host.invalid port=7421 rank=1");
    }

    @Test
    void portsBeyondTheLastAreNamed(CapturedOutput output) {
        assertThat(refusal(output, "port=65535"))
                .contains("ports end at 65535, choose a lower one", "port=65535 size=2")
                .contains("atoll.fabric.tcp.port to a port from which on as many as the world has ranks are free");
    }

    @Test
    void aPortThatIsTakenIsNamed(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            assertThat(refusal(output, "port=" + (taken.getLocalPort() - 1)))
                    .contains("the port cannot be opened", "port=" + taken.getLocalPort(), "already in use")
                    .contains("atoll.fabric.tcp.port to a port from which on as many as the world has ranks are free");
        }
    }

    @Test
    void anotherWordThanNoneIsAnsweredByNone(CapturedOutput output) {
        assertThat(refusal(output, "security=off")).contains("atoll.fabric.tcp.security", "NONE");
    }

    @Test
    void aSettingOutOfItsRangeShowsAllButTheSecret(CapturedOutput output) {
        assertThat(refusal(output, "lanes=0", "secret=" + SECRET)).contains("lanes=0", "atoll.fabric.tcp");
    }
}
