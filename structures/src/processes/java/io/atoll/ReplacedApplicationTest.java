package io.atoll;

import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thread keeps of an application that a servlet container has replaced. */
@Timeout(120)
@Tag("processes")
class ReplacedApplicationTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    // The JDK keeps the types that a record was last compared by, softly: java.lang.runtime.ObjectMethods.
    private static final String FORGETS_WHAT_IS_KEPT_SOFTLY = "-XX:SoftRefLRUPolicyMSPerMB=0";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(classes = {ReplacedApplication.OverSharedMemory.class, ReplacedApplication.OverTcp.class})
    void aThreadThatHasUsedEveryStructureAndLivesOnDoesNotKeepTheClassLoader(
            Class<? extends ReplacedApplication> application) {
        try (ChildProcess container = ChildProcess.start(ServletContainer.class, "-Xmx256m",
                FORGETS_WHAT_IS_KEPT_SOFTLY)) {
            container.ask("run " + application.getName() + " " + folder);
            container.ask("run " + application.getName() + " " + folder);
            await().atMost(SOON).until(() -> container.ask("kept").equals("0"));
        }
    }
}
