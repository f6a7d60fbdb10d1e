package io.atoll.spring.meters;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.Wrapper;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.WorldIdentity;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the meters of connections. Some figures are measured only by the connections' device. */
class ConnectionMetersTest {

    private static final Connections SEEN = new Connections("rdma",
            List.of(new Peer(1, 2, List.of("RETRY_EXC_ERR"), 3, null, null)), null, Map.of("unproved", 4L));

    /** Ranks of one host that look as if they had queue pairs. */
    private record AsByRdma(FabricType host) implements FabricType {

        @Override
        public String name() {
            return "rdma";
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            Attachment attachment = host.attach(world, rank, segmentBytes);
            return Wrapper.around(attachment, Attachment.class,
                    call -> call.isOf("connections") ? Optional.of(SEEN) : call.proceed());
        }
    }

    @Test
    void whatTheDeviceMeasuresByItselfHasNoMeter(@TempDir Path folder) {
        var registry = new SimpleMeterRegistry();
        try (World world = World.named("by-rdma")
                .size(2)
                .rank(0)
                .segment(4 << 20)
                .fabric(new AsByRdma(new SharedMemory(folder, false)))
                .open(); WorldStates worldStates = new WorldStates(world)) {
            new ConnectionMeters(world, worldStates).bindTo(registry);

            assertThat(registry.get("atoll.fabric.rdma.usable").tags("peer", "1").gauge().value()).isEqualTo(2);
            assertThat(registry.get("atoll.fabric.rdma.unanswered").tags("peer", "1").gauge().value()).isEqualTo(3);
            assertThat(registry.get("atoll.fabric.rdma.refused").tags("reason", "unproved").functionCounter().count())
                    .isEqualTo(4);
            assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName())
                    .containsOnly("atoll.fabric.rdma.usable", "atoll.fabric.rdma.unanswered",
                            "atoll.fabric.rdma.refused");
        }
    }
}
