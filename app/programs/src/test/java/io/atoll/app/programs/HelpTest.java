package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

class HelpTest {

    static Stream<CommandSpec> commands() {
        return withSubcommands(new AtollApplication().commandLine());
    }

    private static Stream<CommandSpec> withSubcommands(CommandLine command) {
        return Stream.concat(Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().flatMap(HelpTest::withSubcommands));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachLineIsAWholeSentenceSinceAListOfCommandsShowsTheFirstOnly(CommandSpec command) {
        assertThat(command.usageMessage().description()).isNotEmpty().allMatch(line -> line.endsWith("."));
        for (ArgSpec argument : command.args()) {
            assertThat(argument.description()).as(argument.toString())
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith("."));
        }
    }
}
