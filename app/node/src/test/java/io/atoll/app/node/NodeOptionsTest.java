package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.app.command.CommandException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeOptionsTest {

    @Test
    void withoutRanksEverythingIsSpringBoots() {
        List<String> arguments = List.of("--atoll.world.size=3", "--server.port=9000", "--debug");
        assertThat(NodeOptions.of(arguments).ofRank(0)).isEqualTo(arguments);
    }

    @Test
    void eachRankIsToldItsPlaceAndHasThePortAfterThatOfTheRankBefore() {
        NodeOptions options = NodeOptions.of(List.of("--ranks=3", "--server.port=9000", "--atoll.segment.size=8MB"));
        assertThat(options.ofRank(2)).containsExactlyInAnyOrder("--atoll.world.size=3", "--atoll.world.rank=2",
                "--server.port=9002", "--atoll.segment.size=8MB");
    }

    @Test
    void everyRankIsToldToMakeTheDemosLoad() {
        NodeOptions options = NodeOptions.of(List.of("--ranks=2", "--demo"));
        assertThat(options.ofRank(0)).contains("--node.demo=true");
        assertThat(options.ofRank(1)).contains("--node.demo=true");
        assertThat(NodeOptions.of(List.of("--demo")).ofRank(0)).containsExactly("--node.demo=true");
    }

    @Test
    void portsThatTheSystemChoosesStayThat() {
        assertThat(NodeOptions.of(List.of("--ranks=3", "--server.port=0")).ofRank(2)).contains("--server.port=0");
    }

    @ParameterizedTest
    @CsvSource({"--ranks=0, ranks=0", "--ranks=65, ranks=65", "--ranks=three, ranks=three", "--ranks, ranks=",
        "--ranks=3 --atoll.world.size=3, --atoll.world.size", "--ranks=3 --atoll.world.rank=1, --atoll.world.rank",
        "--rank=3, --rank=3", "--demo=3, option=--demo=3", "--ranks=3 4, option=4"})
    void whatCannotBeIsRefused(String arguments, String named) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> NodeOptions.of(Arrays.asList(arguments.split(" "))))
                .withMessageEndingWith(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "kmer"})
    void whatNamesAJobOrAsksForHelpIsNoNode(String argument) {
        assertThat(Node.isMeant(new String[]{argument})).isFalse();
    }

    @Test
    void nothingAndPropertiesMeanANode() {
        assertThat(Node.isMeant(new String[]{})).isTrue();
        assertThat(Node.isMeant(new String[]{"--ranks=3"})).isTrue();
    }
}
