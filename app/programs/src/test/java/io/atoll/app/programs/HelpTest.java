package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

class HelpTest {

    private static final Path HELP = Path.of("src/test/resources/help.txt");
    private static final int WITHOUT_LINE_BREAKS = 1_000;

    /** Returns the help as it is on every machine: the number of its processors is left out. */
    private static String help(CommandSpec command) {
        return command.commandLine()
                .setUsageHelpWidth(WITHOUT_LINE_BREAKS)
                .getUsageMessage(Ansi.OFF)
                .replaceAll("\\d+, one for each processor", "N, one for each processor");
    }

    /** With {@code -Dgolden.write=true} the file is written instead of compared. */
    @Test
    void theHelpOfEachCommandIsThatOfTheFile() throws IOException {
        String help = commands().map(HelpTest::help).collect(Collectors.joining("\n"));
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(HELP, help);
        }
        assertThat(help).isEqualTo(Files.readString(HELP));
    }

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
