package io.atoll.app.plot;

import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * One of the two directions of a {@link Plot}.
 *
 * @param title what is measured along it
 * @param scale the distances between values
 * @param label writes a value at its tick, with its unit
 */
public record Axis(String title, Scale scale, DoubleFunction<String> label) {

    /** The distances between values. */
    public enum Scale {

        /** Distances are differences. */
        LINEAR {
            @Override
            double place(double value) {
                return value;
            }

            @Override
            double value(double place) {
                return place;
            }
        },
        /** Distances are ratios. Ticks are at powers of 2. */
        BINARY {
            @Override
            double place(double value) {
                return Math.log(value) / Math.log(2);
            }

            @Override
            double value(double place) {
                return Math.pow(2, place);
            }
        },
        /** Distances are ratios. Ticks are at powers of 10. */
        DECIMAL {
            @Override
            double place(double value) {
                return Math.log10(value);
            }

            @Override
            double value(double place) {
                return Math.pow(10, place);
            }
        };

        abstract double place(double value);

        abstract double value(double place);
    }

    /** Returns an axis of sizes in bytes, by powers of 2. */
    public static Axis bytes(String title) {
        return new Axis(title, Scale.BINARY, value -> unit(value, 1024, "B", "KiB", "MiB", "GiB"));
    }

    /** Returns an axis of times in nanoseconds, by powers of 10. */
    public static Axis nanos(String title) {
        return new Axis(title, Scale.DECIMAL, value -> unit(value, 1000, "ns", "µs", "ms", "s"));
    }

    /** Returns an axis of rates a second, by powers of 10. */
    public static Axis perSecond(String title) {
        return new Axis(title, Scale.DECIMAL, value -> unit(value, 1000, "/s", "thousand/s", "million/s", "billion/s"));
    }

    /** Returns an axis of whole numbers. */
    public static Axis count(String title, Scale scale) {
        return new Axis(title, scale, value -> String.format(Locale.ROOT, "%,.0f", value));
    }

    /** Writes at least two digits, in the largest unit that leaves a digit before the point. */
    private static String unit(double value, int step, String... units) {
        int unit = 0;
        double rest = value;
        // Ticks are rounded powers, so a value slightly below the unit is enough.
        while (unit < units.length - 1 && rest >= step * 0.999) {
            rest /= step;
            unit++;
        }
        boolean isWhole = rest > 9.5 || Math.abs(rest - Math.rint(rest)) < 0.01;
        return String.format(Locale.ROOT, isWhole ? "%.0f %s" : "%.1f %s", rest, units[unit]);
    }

    double place(double value) {
        return scale.place(value);
    }

    String labelAt(double place) {
        return label.apply(scale.value(place));
    }
}
