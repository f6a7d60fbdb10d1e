package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.rdma.NeedsRdmaDevice;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** As {@link LockProcessesTest}, over RDMA. There the owner's atomics are not atomic with those of the others. */
@NeedsRdmaDevice
@Timeout(1_200)
class RdmaLockProcessesTest {

    private static final int RANKS = 3;
    private static final long OF_EACH_THREAD = 40;

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    private ChildProcess join(int rank) {
        ChildProcess process = ChildProcess.start(LockProcess.class);
        process.tell("join rdma " + folder + " " + RANKS + " " + rank).join();
        return process;
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    private String[] sums() {
        return ranks.getFirst().tell("sum").join().split(" ");
    }

    @Test
    void whatTheLocksGuardIsExactAlsoWhenARankIsKilled() {
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(join(rank));
        }
        work(OF_EACH_THREAD).forEach(each -> assertThat(each.join()).isEqualTo("recovered=0"));
        long told = OF_EACH_THREAD * LockProcess.THREADS * RANKS;
        assertThat(sums()).containsExactly("" + told, "" + told);

        List<CompletableFuture<String>> working = work(2 * OF_EACH_THREAD);
        ranks.get(2).kill();
        ranks.set(2, join(2));
        working.set(2, ranks.get(2).tell("work " + 2 * OF_EACH_THREAD));
        working.forEach(CompletableFuture::join);
        String[] sums = sums();
        assertThat(sums[1]).isEqualTo("" + 2 * told);
        // A thread may have been killed between its addition and its note of it.
        assertThat(Long.parseLong(sums[0])).isBetween(2 * told, 2 * told + LockProcess.THREADS);
    }

    private List<CompletableFuture<String>> work(long count) {
        List<CompletableFuture<String>> working = new ArrayList<>();
        ranks.forEach(rank -> working.add(rank.tell("work " + count)));
        return working;
    }
}
