package io.atoll.app.job;

import java.io.Console;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One line on the terminal that shows the progress of several parts of a work together. It shows nothing if there is no
 * terminal.
 */
public final class ProgressBar implements AutoCloseable {

    private static final int WIDTH = 40;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable Console console = terminal();
    private final String what;
    private final long[] done;
    private final long[] total;
    private String shown = "";

    /** @param what the work that is done; the line's first word */
    public ProgressBar(String what, int parts) {
        this.what = what;
        this.done = new long[parts];
        this.total = new long[parts];
    }

    private static @Nullable Console terminal() {
        Console console = System.console();
        return console != null && console.isTerminal() ? console : null;
    }

    /** Sets how far one part is. */
    public void update(int part, long doneOfPart, long totalOfPart) {
        done[part] = doneOfPart;
        total[part] = totalOfPart;
        if (console != null) {
            show(console, line(Arrays.stream(done).sum(), Arrays.stream(total).sum()));
        }
    }

    private void show(Console terminal, String line) {
        if (!line.equals(shown)) {
            shown = line;
            terminal.writer().print(CLEAR_LINE + line);
            terminal.flush();
        }
    }

    String line(long doneOfAll, long totalOfAll) {
        double fraction = totalOfAll == 0 ? 0 : Math.min(1, (double) doneOfAll / totalOfAll);
        int filled = (int) (fraction * WIDTH);
        return what + " [" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + (int) (fraction * 100) + " %";
    }

    /** Clears the terminal's line. */
    @Override
    public void close() {
        if (console != null) {
            show(console, "");
        }
    }
}
