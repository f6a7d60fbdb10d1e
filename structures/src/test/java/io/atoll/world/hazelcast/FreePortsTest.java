package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void portsAtWhichNobodyListensYetAreNotGivenAgain() {
        assertThat(IntStream.generate(() -> FreePorts.range(3))
                .limit(40)
                .flatMap(first -> IntStream.range(first, first + 3))).doesNotHaveDuplicates();
    }
}
