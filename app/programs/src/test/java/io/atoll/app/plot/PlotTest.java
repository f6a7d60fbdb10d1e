package io.atoll.app.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.app.command.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class PlotTest {

    @TempDir
    Path folder;

    private static Plot plot() {
        TreeMap<Double, Double> linear = new TreeMap<>();
        TreeMap<Double, Double> tree = new TreeMap<>();
        TreeMap<Double, Double> predicted = new TreeMap<>();
        for (double bytes = 2048; bytes <= 40 << 20; bytes *= 2) {
            linear.put(bytes, 2_000 + bytes * 3);
            tree.put(bytes, 250_000 + bytes * 1.5);
            predicted.put(bytes, 200_000 + bytes * 1.6);
        }
        return new Plot("Broadcast to 8 ranks, until the root knows", Axis.bytes("message"), Axis.nanos("time"),
                List.of(Line.measured("linear", 0, linear), Line.measured("binomial", 1, tree),
                        Line.predicted("binomial, predicted", 1, predicted)));
    }

    @Test
    void whatIsWrittenIsAnSvgFileWithItsTitle() throws Exception {
        Path file = folder.resolve("broadcast.svg");
        plot().write(file);
        DocumentBuilderFactory parsers = DocumentBuilderFactory.newInstance();
        parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Document written = parsers.newDocumentBuilder().parse(file.toFile());
        assertThat(written.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(written.getElementsByTagName("title").item(0).getTextContent()).startsWith("Broadcast to 8 ranks");
        assertThat(Files.size(file)).isLessThan(300_000);
    }

    @Test
    void eachColourIsThere() throws Exception {
        Path file = folder.resolve("broadcast.svg");
        plot().write(file);
        assertThat(Files.readString(file)).contains("rgb(0,114,178)", "rgb(213,94,0)");
    }

    @Test
    void aPlaceThatCannotBeWrittenIsNamed() {
        Path file = folder.resolve("missing").resolve("broadcast.svg");
        assertThatThrownBy(() -> plot().write(file)).isInstanceOf(CommandException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void ticksHaveUnits() {
        assertThat(Axis.bytes("").labelAt(11)).isEqualTo("2 KiB");
        assertThat(Axis.bytes("").labelAt(24)).isEqualTo("16 MiB");
        assertThat(Axis.nanos("").labelAt(6)).isEqualTo("1 ms");
        assertThat(Axis.nanos("").labelAt(5.5)).isEqualTo("316 µs");
        assertThat(Axis.nanos("").labelAt(3.5)).isEqualTo("3.2 µs");
        assertThat(Axis.count("", Axis.Scale.LINEAR).labelAt(48)).isEqualTo("48");
        assertThat(Axis.count("", Axis.Scale.BINARY).labelAt(16)).isEqualTo("65,536");
    }
}
