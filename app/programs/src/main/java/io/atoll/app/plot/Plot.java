package io.atoll.app.plot;

import io.atoll.app.command.CommandException;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.GraphicsEnvironment;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map.Entry;
import java.util.function.ToDoubleFunction;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Lines over one another, as an SVG file that needs no other file. Letters are drawn as shapes, so the file looks the
 * same everywhere. The machine that makes it needs a font.
 *
 * @param title what the plot shows; it says so if anything is simulated
 */
public record Plot(String title, Axis x, Axis y, List<Line> lines) {

    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final int WIDTH = 960;
    private static final int HEIGHT = 600;

    /** Colours that the colour-blind can tell apart, too (Okabe and Ito, 2008). */
    private static final List<Color> COLOURS = List.of(new Color(0x0072B2), new Color(0xD55E00), new Color(0x009E73),
            new Color(0xCC79A7), new Color(0xE69F00), new Color(0x56B4E9), new Color(0x444444));

    private static final Color INK = new Color(0x333333);
    private static final Color GRID = new Color(0xE3E3E3);
    private static final BasicStroke HAIR = new BasicStroke(1f);
    private static final BasicStroke SOLID = new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final BasicStroke DASHED = new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f,
            new float[]{7, 5}, 0f);

    /**
     * Checks before long work that a plot can be made. Makes the folder if there is none.
     *
     * @throws CommandException if this machine cannot draw letters, or nothing can be written there
     */
    public static void requireFolder(Path folder) {
        requireFonts();
        try {
            Files.createDirectories(folder);
        } catch (IOException failure) {
            throw new CommandException("cannot make the folder of the plot, choose another: folder=" + folder, failure);
        }
        if (!Files.isWritable(folder)) {
            throw new CommandException(
                    "this user may not write to the folder of the plot, choose another: folder=" + folder);
        }
    }

    /** Like {@link #requireFolder}, for one plot. */
    public static void requireFile(Path file) {
        if (Files.isDirectory(file)) {
            throw new CommandException("the plot must be a file, and this is a folder: file=" + file);
        }
        requireFolder(file.toAbsolutePath().getParent());
    }

    private static void requireFonts() {
        System.setProperty("java.awt.headless", "true");
        try {
            new Font(Font.SANS_SERIF, Font.PLAIN, 12).canDisplay('a');
        } catch (RuntimeException | LinkageError | InternalError failure) {
            throw new CommandException(
                    "this machine has no fonts for a plot: install fontconfig and a font, or leave out --svg",
                    failure);
        }
        assert GraphicsEnvironment.isHeadless();
    }

    /** @throws CommandException if it cannot be written */
    public void write(Path file) {
        requireFonts();
        Document document = document();
        var graphics = new SVGGraphics2D(document);
        graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
        chart().paint(graphics, WIDTH, HEIGHT);
        try (Writer writer = Files.newBufferedWriter(file)) {
            graphics.stream(titled(graphics.getRoot(), document), writer, true, false);
        } catch (IOException failure) {
            throw new CommandException("cannot write the plot: " + failure, failure);
        }
    }

    /** Drawn letters can be read by people only. Programs that read aloud find the title. */
    private Element titled(Element root, Document document) {
        Element text = document.createElementNS(SVG, "title");
        text.setTextContent(title);
        root.insertBefore(text, root.getFirstChild());
        return root;
    }

    private static Document document() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
        } catch (ParserConfigurationException failure) {
            throw new AssertionError("every Java has a parser", failure);
        }
    }

    private XYChart chart() {
        XYChart chart = new XYChartBuilder().width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x.title())
                .yAxisTitle(y.title())
                .build();
        style(chart.getStyler());
        lines.forEach(line -> add(chart, line));
        chart.setCustomXAxisTickLabelsFormatter(x::labelAt);
        chart.setCustomYAxisTickLabelsFormatter(y::labelAt);
        return chart;
    }

    private static void style(XYStyler style) {
        style.setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
        style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 17));
        style.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
        style.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
        style.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
        style.setChartFontColor(INK);
        style.setAxisTickLabelsColor(INK);
        style.setAxisTickMarksColor(GRID);
        style.setChartBackgroundColor(Color.WHITE);
        style.setPlotBackgroundColor(Color.WHITE);
        style.setPlotBorderVisible(false);
        style.setPlotGridLinesColor(GRID);
        style.setPlotGridLinesStroke(HAIR);
        style.setAxisTickMarksStroke(HAIR);
        style.setChartTitleBoxVisible(false);
        style.setLegendBorderColor(Color.WHITE);
        style.setLegendPosition(LegendPosition.OutsideE);
        style.setXAxisTickMarkSpacingHint(70);
        style.setYAxisTickMarkSpacingHint(50);
        style.setChartPadding(16);
        style.setMarkerSize(7);
    }

    private void add(XYChart chart, Line line) {
        XYSeries series = chart.addSeries(line.name(), places(line, point -> x.place(point.getKey())),
                places(line, point -> y.place(point.getValue())));
        Color colour = COLOURS.get(line.colour() % COLOURS.size());
        series.setLineColor(colour);
        series.setMarkerColor(colour);
        series.setMarker(line.isPredicted() ? SeriesMarkers.NONE : SeriesMarkers.CIRCLE);
        series.setLineStyle(line.isPredicted() ? DASHED : SOLID);
    }

    private static double[] places(Line line, ToDoubleFunction<Entry<Double, Double>> place) {
        return line.points().entrySet().stream().mapToDouble(place).toArray();
    }
}
