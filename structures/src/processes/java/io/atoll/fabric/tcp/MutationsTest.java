package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.RecordRead;
import io.atoll.process.ChildProcess;
import io.atoll.process.Faults;
import io.atoll.process.ProcessFigures;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a few mutations find the faults that are built into a listening process: omitted checks, and resources
 * that are left behind.
 */
@Timeout(300)
@Tag("processes")
class MutationsTest {

    private static final int ROUND = 800;
    private static final int TIMEOUT_MILLIS = 5_000;

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("verbs may lie outside of the segment", FrameExecutor.class, "isInside",
                        Faults.body(code -> code.iconst_1().ireturn())),
                Arguments.of("frames are not checked", FrameExecutor.class, "check",
                        Faults.body(CodeBuilder::return_)),
                Arguments.of("any guard is an exchange", Frame.class, "isOneOf",
                        Faults.body(code -> code.iconst_1().ireturn())),
                Arguments.of("any records can be read", RecordRead.class, "isPossible",
                        Faults.body(code -> code.iconst_1().ireturn())),
                Arguments.of("any records can be searched", FrameExecutor.class, "isSearch",
                        Faults.body(code -> code.iconst_1().ireturn())),
                Arguments.of("requests are not counted", RequestAnswerer.class, "countOn",
                        Faults.body(CodeBuilder::return_)),
                Arguments.of("every length is one of a frame", Frame.class, "isFrame",
                        Faults.body(code -> code.iconst_1().ireturn())),
                Arguments.of("a connection that has ended stays open", AcceptedConnection.class, "close",
                        Faults.calls("close", (code, _) -> code.pop())),
                Arguments.of("a connection that has ended is kept", Listener.class, "lookAfter",
                        Faults.calls("remove", (code, _) -> code.pop())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void aFaultIsFound(String name, Class<?> faulty, String method, CodeTransform fault, @TempDir Path folder)
            throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Faults.write(classes, faulty, method, fault);
        Path world = Files.createDirectory(folder.resolve("world"));
        try (ChildProcess process = ChildProcess.startWith(classes, ListeningProgram.class, ProcessFigures.OPTION)) {
            List<String> found = new Mutations(1, ROUND, TIMEOUT_MILLIS, process, world).find(0, 2 * ROUND, 60);
            assertThat(found).as(name).isNotEmpty();
        }
    }
}
