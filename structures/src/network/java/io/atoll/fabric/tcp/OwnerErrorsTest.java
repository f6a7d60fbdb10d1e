package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.interleaving.Instrumented;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests errors in the threads of an owner, at each of their steps. No connection stays half alive, and all are served.
 */
@Isolated
@Timeout(300)
@Tag("network")
class OwnerErrorsTest {

    /** By their classes, so that one which gets another name is still struck. */
    private static final Set<String> STRUCK = Set.of(Listener.class.getSimpleName(),
            AcceptedConnection.class.getSimpleName(), AcceptedConnection.class.getSimpleName() + "$Reply",
            RequestAnswerer.class.getSimpleName(), ServingLoop.class.getSimpleName(),
            ServingLoops.class.getSimpleName(), Spin.class.getSimpleName());

    @Test
    @SuppressWarnings("unchecked")
    void anErrorAnywhereEndsItsConnectionAtMost(@TempDir Path folder) throws Exception {
        Function<Path, String> owner = Instrumented.struck("io.atoll.fabric.tcp", STRUCK)
                .create(Function.class, "io.atoll.fabric.tcp.StruckOwner");
        assertThat(owner.apply(folder)).doesNotContain("=0");
    }
}
