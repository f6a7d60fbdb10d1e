package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** That the short cuts to memory that is mapped here are taken where, and only where, they are as good as verbs. */
interface ShortCutContract extends ConcurrentRanks {

    @Test
    default void anEndpointUsesItsOwnMemoryWithoutVerbsWhereTheFabricIsCoherent() throws Exception {
        together(at(0, fabric -> {
            var recording = new RecordingFabric(fabric);
            var endpoint = new Endpoint(recording);
            MemorySegment block = words(64);
            endpoint.writeWord(0, line(0), 5);
            assertThat(endpoint.getAndAdd(0, line(0), 1)).isEqualTo(5);
            assertThat(endpoint.compareAndExchange(0, line(0), 6, 7)).isEqualTo(6);
            assertThat(endpoint.getAndBitwiseOr(0, line(0), 8)).isEqualTo(7);
            endpoint.read(0, line(0), block, 8, 8);
            endpoint.write(0, line(1), block, 8, 8);
            Batch batch = endpoint.batch(0);
            batch.read(0, line(1), 0, 8);
            batch.complete();
            endpoint.flush(0);
            assertThat(batch.word(0)).isEqualTo(15);
            assertThat(endpoint.readWord(0, line(1))).isEqualTo(15);
            boolean verbs = !recording.journal().verbs().isEmpty();
            assertThat(verbs).isNotEqualTo(fabric.guarantees().coherentWithCpu());
        }));
    }

    @Test
    default void anEndpointUsesOtherRanksByVerbs() throws Exception {
        together(at(0, fabric -> {
            var recording = new RecordingFabric(fabric);
            var endpoint = new Endpoint(recording);
            endpoint.writeWord(1, line(0), 5);
            assertThat(endpoint.readWord(1, line(0))).isEqualTo(5);
            endpoint.batch(1).complete();
            assertThat(recording.journal().verbs()).hasSize(2);
            assertThat(endpoint.atomicReadBytes(1)).isEqualTo(fabric.guarantees().atomicReadBytes());
        }));
    }

    @Test
    default void whereASegmentIsMappedItsLoadsAndStoresAreVerbs() throws Exception {
        LocalMemory mapped = fabric(0).mapped(1);
        assumeTrue(mapped != null);
        together(at(0, fabric -> {
            fabric.writeWord(1, line(0), 5);
            assertThat(mapped.getAcquire(line(0))).isEqualTo(5);
            mapped.setRelease(line(0), 6);
            assertThat(fabric.readWord(1, line(0))).isEqualTo(6);
            assertThat(mapped.size()).isEqualTo(fabric(1).local().size());
        }));
        assertThat(fabric(1).local().get(line(0))).isEqualTo(6);
        everywhere((fabric, number) -> {
            for (int i = 0; i < rounds(); i++) {
                LocalMemory memory = Objects.requireNonNull(fabric.mapped(1));
                memory.getAndAdd(line(1), 1);
                fabric.getAndAdd(1, line(1), 1);
            }
        });
        assertThat(fabric(0).readWord(1, line(1))).isEqualTo(4L * THREADS * rounds());
    }

    @Test
    default void onlyCoherentAndPresentSegmentsAreMapped() {
        assertThat(fabric(0).mapped(absentRank())).isNull();
        if (!fabric(0).guarantees().coherentWithCpu()) {
            assertThat(fabric(0).mapped(0)).isNull();
            assertThat(fabric(0).mapped(1)).isNull();
        }
    }
}
