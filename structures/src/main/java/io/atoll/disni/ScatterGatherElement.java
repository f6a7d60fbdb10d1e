package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * A piece of registered memory that a work request reads from or writes to. Its setters change it in place.
 * <pre>
 *   ibv_sge:  0      8        12     16
 *             +------+--------+------+
 *             | addr | length | lkey |
 *             +------+--------+------+
 * </pre>
 */
public final class ScatterGatherElement implements SVCPostSend.SgeMod {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            JAVA_LONG.withName("addr"), //
            JAVA_INT.withName("length"), // bytes
            JAVA_INT.withName("lkey")).withName("ibv_sge");

    static final long BYTES = LAYOUT.byteSize();

    private static final long ADDRESS = Offsets.of(LAYOUT, "addr");
    private static final long LENGTH = Offsets.of(LAYOUT, "length");
    private static final long LOCAL_KEY = Offsets.of(LAYOUT, "lkey");

    private final MemorySegment struct;

    ScatterGatherElement(MemorySegment struct) {
        this.struct = struct;
    }

    static void write(List<IbvSge> elements, MemorySegment array) {
        long at = 0;
        for (IbvSge element : elements) {
            array.set(JAVA_LONG, at + ADDRESS, element.getAddr());
            array.set(JAVA_INT, at + LENGTH, element.getLength());
            array.set(JAVA_INT, at + LOCAL_KEY, element.getLkey());
            at += BYTES;
        }
    }

    @Override
    public void setAddr(long address) {
        struct.set(JAVA_LONG, ADDRESS, address);
    }

    @Override
    public long getAddr() {
        return struct.get(JAVA_LONG, ADDRESS);
    }

    @Override
    public void setLength(int length) {
        struct.set(JAVA_INT, LENGTH, length);
    }

    @Override
    public int getLength() {
        return struct.get(JAVA_INT, LENGTH);
    }

    @Override
    public void setLkey(int localKey) {
        struct.set(JAVA_INT, LOCAL_KEY, localKey);
    }

    @Override
    public int getLkey() {
        return struct.get(JAVA_INT, LOCAL_KEY);
    }
}
