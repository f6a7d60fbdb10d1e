package io.atoll.spring.admission;

/** Text that strangers have sent, as it may stand in a log. */
public final class StrangersText {

    /** In characters. */
    private static final int LONGEST = 200;

    private StrangersText() {}

    /** Returns the beginning of the text. It does not look like another line of the log, nor fill the log. */
    public static String oneLine(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST)).replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }
}
