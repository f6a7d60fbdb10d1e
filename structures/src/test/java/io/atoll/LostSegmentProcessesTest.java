package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rank is killed, loses its segment, and is started again, over and over. The others are not. By shared memory here, otherwise in those who extend it. */
@Tag("processes")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class LostSegmentProcessesTest {

    private static final int RANKS = 3;
    private static final int LOSSES = Integer.getInteger("atoll.losses", 5);
    private static final long LONGEST_MILLIS = 10_000;

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    @BeforeEach
    final void start() throws Exception {
        prepare();
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(ChildProcess.start(LostSegmentProgram.class));
        }
        for (int rank = 0; rank < RANKS; rank++) {
            join(rank);
        }
        ranks.forEach(rank -> rank.ask("open"));
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    /** What is needed before any rank is started. */
    void prepare() throws Exception {
        // One folder is all.
    }

    /** Where the rank's segment is. */
    Path host(int rank) {
        return folder;
    }

    /** What the rank is told beside that. */
    String more() {
        return "";
    }

    private String join(int rank) {
        return ranks.get(rank).ask("join " + host(rank) + " " + RANKS + " " + rank + more());
    }

    @Test
    void theOthersGoOnWithARankThatComesBackWithoutItsSegment() throws Exception {
        for (int loss = 1; loss <= LOSSES; loss++) {
            int lost = loss % 4 == 0 ? 0 : 2;
            assertThat(counted(1, lost)).isPositive();
            ranks.get(lost).kill();
            Files.delete(host(lost).resolve("atoll-lossy-" + lost + ".segment"));
            ranks.set(lost, ChildProcess.start(LostSegmentProgram.class));
            assertThat(Integer.parseInt(join(lost))).isGreaterThan(1);
            long beganNanos = System.nanoTime();
            assertThat(counted(1, lost)).as("begins empty").isEqualTo(1);
            System.out.printf("rank %d came back without its segment and was used after %d ms%n", lost,
                    Duration.ofNanos(System.nanoTime() - beganNanos).toMillis());
            ranks.get(lost).ask("open");
            assertThat(counted(lost, lost)).as("the same for all").isEqualTo(2);
            assertThat(counted(2 - lost, 1)).as("what is not lost").isEqualTo(loss);
        }
    }

    /** What a rank has counted at an owner, soon. */
    private long counted(int rank, int owner) {
        String[] told = ranks.get(rank).ask("count " + owner).split(" ");
        assertThat(Long.parseLong(told[1])).as("milliseconds").isLessThan(LONGEST_MILLIS);
        return Long.parseLong(told[0]);
    }
}
