package io.atoll.app.plot;

import java.util.SortedMap;

/**
 * One line of a {@link Plot}.
 *
 * @param name its name in the legend
 * @param colour its number; a prediction has the colour of the measurement that it predicts
 * @param isPredicted if true, the line is dashed and has no marks
 * @param points y by x
 */
public record Line(String name, int colour, boolean isPredicted, SortedMap<Double, Double> points) {

    public Line {
        if (points.isEmpty()) {
            throw new IllegalArgumentException("a line must have a point: name=" + name);
        }
    }

    public static Line measured(String name, int colour, SortedMap<Double, Double> points) {
        return new Line(name, colour, false, points);
    }

    public static Line predicted(String name, int colour, SortedMap<Double, Double> points) {
        return new Line(name, colour, true, points);
    }
}
