package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A request to pass on a piece of a broadcast, which lies in the window already (Paznikov, section 2.2: request and
 * description).
 * <pre>
 *       0        8        16       24       32       40      48       64
 *       +--------+--------+--------+--------+--------+--------+--------+
 *       |  flag  |  root  | number | place  | bytes  |  last  |        |
 *       +--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 * The flag is the number of the request over its bit, from 1, counted from the number of the generation. It is written
 * last. The paper's identifier of the window is not needed: each window has requests of its own.
 *
 * @param root position of the member that broadcasts
 * @param number the number of that broadcast among those of its root in the generation, from 1
 * @param place the place of the piece in the window
 * @param last true if this piece is the last one of its broadcast
 */
record ForwardRequest(int root, long number, long place, long bytes, boolean last) {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("flag"),
            Layouts.word("root"),
            Layouts.word("number"),
            Layouts.word("place"),
            Layouts.word("bytes"),
            Layouts.word("last"),
            Layouts.padToCacheLine(6 * Layouts.WORD));

    public static final long FLAG = Layouts.offsetOf(LAYOUT, "flag");
    public static final long DESCRIPTION = Layouts.offsetOf(LAYOUT, "root");
    public static final long SIZE = LAYOUT.byteSize();

    private static final long ROOT = Layouts.offsetOf(LAYOUT, "root");
    private static final long NUMBER = Layouts.offsetOf(LAYOUT, "number");
    private static final long PLACE = Layouts.offsetOf(LAYOUT, "place");
    private static final long BYTES = Layouts.offsetOf(LAYOUT, "bytes");
    private static final long LAST = Layouts.offsetOf(LAYOUT, "last");

    /** The bytes of the description, without the flag. */
    public static final long DESCRIPTION_BYTES = LAST + Layouts.WORD - DESCRIPTION;

    /** Places the description in the buffer, without the flag. */
    public void encode(Batch batch, long position) {
        long line = position - DESCRIPTION;
        batch.setWord(line + ROOT, root);
        batch.setWord(line + NUMBER, number);
        batch.setWord(line + PLACE, place);
        batch.setWord(line + BYTES, bytes);
        batch.setWord(line + LAST, last ? 1 : 0);
    }

    public static ForwardRequest decode(Batch batch, long position) {
        long line = position - DESCRIPTION;
        return new ForwardRequest((int) batch.word(line + ROOT), batch.word(line + NUMBER), batch.word(line + PLACE),
                batch.word(line + BYTES), batch.word(line + LAST) == 1);
    }
}
