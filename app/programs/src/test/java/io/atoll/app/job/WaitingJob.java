package io.atoll.app.job;

import io.atoll.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * A job whose ranks tell a test that they are there, and go on when the test says so. A rank's connection also tells
 * the test when the rank's process has ended.
 */
final class WaitingJob {

    static final int SEGMENT_BYTES = 1 << 20;

    private static final int INTERRUPTED = 130;

    private WaitingJob() {}

    /** Waits where the test wants it, and takes part in a barrier after that. */
    record Waiting(int port, boolean joinFirst) implements JobRank.Program {

        @Override
        public void run(JobRank rank) throws Exception {
            if (joinFirst) {
                World world = rank.join(SEGMENT_BYTES);
                reportAndWait(rank.rank());
                world.barrier();
            } else {
                reportAndWait(rank.rank());
                rank.join(SEGMENT_BYTES).barrier();
            }
            rank.print("rank " + rank.rank() + " of " + rank.size());
        }

        private void reportAndWait(int rank) {
            try (Socket test = new Socket(InetAddress.getLoopbackAddress(), port)) {
                test.getOutputStream()
                        .write(ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                                .putInt(rank)
                                .putLong(ProcessHandle.current().pid())
                                .array());
                test.getInputStream().read();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** Runs the parent as a process. Arguments: PORT JOIN_FIRST RANKS FOLDER UNFINISHED. */
    public static void main(String[] args) throws InterruptedException {
        Waiting program = new Waiting(Integer.parseInt(args[0]), Boolean.parseBoolean(args[1]));
        try (Job job = new Job("waiting", Integer.parseInt(args[2]), Path.of(args[3]), Optional.of(Path.of(args[4])),
                false)) {
            job.run(program).output().forEach(System.out::println);
        } catch (CancellationException closedByASignal) {
            System.exit(INTERRUPTED);
        }
        System.exit(0);
    }
}
