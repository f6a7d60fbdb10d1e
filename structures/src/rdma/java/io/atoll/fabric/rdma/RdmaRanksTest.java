package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests every structure, used by ranks that are processes and reach each other by RDMA. */
@NeedsRdmaDevice
@Timeout(900)
class RdmaRanksTest {

    private static final int PATIENCE_SECONDS = 400;

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    private List<String> tellAll(IntFunction<String> command) throws Exception {
        List<CompletableFuture<String>> told = IntStream.range(0, ranks.size())
                .mapToObj(rank -> ranks.get(rank).tell(command.apply(rank)))
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(told.toArray(CompletableFuture[]::new));
        // The others may wait for the rank that has failed.
        told.forEach(each -> each.exceptionally(failure -> {
            all.completeExceptionally(failure);
            return "";
        }));
        all.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return told.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void ranksThatAreProcessesShareEveryStructure() throws Exception {
        shareEveryStructure(2);
    }

    /** There are more ranks than the lab has processors. */
    @Test
    @Tag("nightly")
    void threeRanksThatAreProcessesShareEveryStructure() throws Exception {
        shareEveryStructure(3);
    }

    private void shareEveryStructure(int size) throws Exception {
        for (int rank = 0; rank < size; rank++) {
            ranks.add(ChildProcess.start(RdmaRank.class));
        }
        assertThat(tellAll(rank -> "open " + folder + " " + size + " " + rank)).containsOnly("rdma").hasSize(size);
        for (StructureUse use : StructureUse.values()) {
            long beganNanos = System.nanoTime();
            assertThat(tellAll(rank -> "use " + use)).as("%s", use).containsOnly("used");
            System.out.printf("%d ranks, %s: %.1f s%n", size, use, (System.nanoTime() - beganNanos) / 1e9);
        }
    }
}
