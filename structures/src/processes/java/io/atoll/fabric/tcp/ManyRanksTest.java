package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests sixty-four ranks in four processes, each connected to all others by TCP. */
@Timeout(900)
@Tag("nightly")
@Tag("processes")
class ManyRanksTest {

    private static final int PROCESSES = 4;
    private static final int RANKS_OF_A_PROCESS = ManyRanksProgram.RANKS / PROCESSES;
    private static final int ROUNDS = 3;
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=1g"; // 256 KiB for each of 1,008 lanes
    private static final long PATIENCE_SECONDS = 300;

    @Test
    void allRanksCountAtAllRanksAndMeetInBarriers(@TempDir Path folder) throws Exception {
        List<ChildProcess> processes = new ArrayList<>();
        try {
            for (int process = 0; process < PROCESSES; process++) {
                processes.add(ChildProcess.start(ManyRanksProgram.class, "-Xmx256m", DIRECT_MEMORY));
            }
            List<String> opening = new ArrayList<>();
            for (int process = 0; process < PROCESSES; process++) {
                opening.add("open " + folder + " " + process * RANKS_OF_A_PROCESS + " " + RANKS_OF_A_PROCESS);
            }
            all(processes, opening);
            all(processes, List.of("connect"));
            long sum = 0;
            for (String each : all(processes, List.of("count " + ROUNDS))) {
                sum += Long.parseLong(each);
            }
            assertThat(sum).isEqualTo(ManyRanksProgram.expected(ROUNDS));
            for (String connections : all(processes, List.of("connections"))) {
                assertThat(connections).isEqualTo("" + RANKS_OF_A_PROCESS * (ManyRanksProgram.RANKS - 1));
            }
        } finally {
            processes.forEach(ChildProcess::kill);
        }
    }

    /** @param commands one for each process, or one for all */
    private static List<String> all(List<ChildProcess> processes, List<String> commands) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int process = 0; process < processes.size(); process++) {
            answers.add(processes.get(process).tell(commands.get(process % commands.size())));
        }
        return answers.stream().map(answer -> answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()).toList();
    }
}
