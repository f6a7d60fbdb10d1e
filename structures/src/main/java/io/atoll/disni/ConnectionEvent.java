package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/**
 * An event of a connection. It is a copy of the C side's event, which is acknowledged already. Otherwise, if a program
 * forgot to acknowledge an event, destroying its identifier would wait for ever.
 * <pre>
 *   rdma_cm_event:  0     8           16      20       24           48        80
 *                   +-----+-----------+-------+--------+------------+----//----+
 *                   | id  | listen_id | event | status | param.conn |          |
 *                   +-----+-----------+-------+--------+------------+----//----+
 * </pre>
 */
public final class ConnectionEvent extends RdmaCmEvent {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("id"), //
            ADDRESS.withName("listen_id"), // for a connect request: the identifier that listened for it
            JAVA_INT.withName("event"), //
            JAVA_INT.withName("status"), // 0, a negative error number, or the reason of a rejection
            MemoryLayout.unionLayout(ConnectionParameters.LAYOUT.withName("conn")).withName("param"), //
            Offsets.unused(32)) // the rest of param.ud, which is longer
            .withName("rdma_cm_event");

    static final long ID = Offsets.of(LAYOUT, "id");
    static final long LISTENING_ID = Offsets.of(LAYOUT, "listen_id");
    static final long EVENT = Offsets.of(LAYOUT, "event");

    private final ConnectionParameters parameters;

    ConnectionEvent(MemorySegment struct, @Nullable RdmaCmId listeningId, @Nullable RdmaCmId id) throws IOException {
        super(struct.get(JAVA_INT, EVENT), listeningId, id);
        status = struct.get(JAVA_INT, Offsets.of(LAYOUT, "status"));
        parameters = new ConnectionParameters(
                struct.asSlice(Offsets.of(LAYOUT, "param", "conn"), ConnectionParameters.LAYOUT));
        conn = parameters;
    }

    /**
     * Returns the private data that the peer has sent. DiSNI has only its address; this segment also keeps it from
     * being freed.
     */
    public MemorySegment privateData() {
        return parameters.privateData();
    }
}
