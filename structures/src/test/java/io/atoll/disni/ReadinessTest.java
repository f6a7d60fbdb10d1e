package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadinessTest {

    private static final NativeFunction CLOSE = NativeLibrary.libc("close", JAVA_INT);

    private final Arena arena = Arena.ofAuto();
    private int readEnd;
    private int writeEnd;

    @BeforeEach
    void openPipe() throws Exception {
        MemorySegment ends = arena.allocate(JAVA_INT, 2);
        NativeLibrary.libc("pipe", ADDRESS).check(ends);
        readEnd = ends.getAtIndex(JAVA_INT, 0);
        writeEnd = ends.getAtIndex(JAVA_INT, 1);
    }

    @AfterEach
    void closePipe() throws Exception {
        CLOSE.check(readEnd);
        CLOSE.check(writeEnd);
    }

    @Test
    void nothingToReadIsFalseWhenTheTimeIsOver() throws Exception {
        assertThat(Readiness.await(readEnd, 10)).isFalse();
    }

    @Test
    void somethingToReadEndsTheWait() throws Exception {
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(this::awaitForEver);

        write();

        assertThat(waiting.get()).isTrue();
    }

    private boolean awaitForEver() {
        try {
            return Readiness.await(readEnd, -1);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private void write() throws Exception {
        NativeFunction write = NativeLibrary.libc("write", JAVA_INT, ADDRESS, JAVA_LONG);
        assertThat(write.count(writeEnd, arena.allocate(1), 1L)).isEqualTo(1);
    }
}
