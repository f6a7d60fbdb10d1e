package io.atoll.app.kmer;

import java.util.List;
import java.util.Locale;

/**
 * The result of a count, over all ranks.
 *
 * @param kmers the number of sightings, of which {@code distinct} are different
 * @param unique how many k-mers occur once
 * @param maximum the largest count
 * @param seconds from when the table was there until every k-mer was in it
 */
record KmerSummary(long reads, long kmers, long distinct, long unique, long maximum, double seconds) {

    private static final double MILLION = 1e6;

    /** Returns lines of a name and a number each. */
    List<String> lines() {
        return List.of(line("reads", reads), line("k-mers", kmers), line("distinct", distinct), line("unique", unique),
                line("max count", maximum), line("seconds", seconds),
                line("million k-mers a second", kmers / MILLION / seconds));
    }

    private static String line(String name, long number) {
        return String.format(Locale.ROOT, "%-26s%d", name, number);
    }

    private static String line(String name, double number) {
        return String.format(Locale.ROOT, "%-26s%.2f", name, number);
    }
}
