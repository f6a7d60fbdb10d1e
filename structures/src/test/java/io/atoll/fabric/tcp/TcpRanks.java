package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Ranks 0 and 1 of a world of three in this process, which reach each other by TCP. */
final class TcpRanks implements AutoCloseable {

    static final WorldIdentity WORLD = new WorldIdentity("tcp-ranks", 3);
    static final long SEGMENT_BYTES = 128 << 10;

    /** The first offset that a test may use. */
    static final long FREE = SegmentHeader.size(WORLD.maxSize());

    private final WorldIdentity world;
    private final Tcp settings;
    private final int mostThreads;
    private final @Nullable Attachment[] attachments = new Attachment[2];

    TcpRanks(Path folder) {
        this(folder, tcp -> tcp);
    }

    TcpRanks(Path folder, UnaryOperator<Tcp> settings) {
        this(folder, settings, Listener.MOST_THREADS);
    }

    /** @param mostThreads how many connections of a rank have threads of their own */
    TcpRanks(Path folder, UnaryOperator<Tcp> settings, int mostThreads) {
        this(WORLD, folder, settings, mostThreads);
    }

    /** @param name of a world of its own, for reports that contain the name of the world */
    TcpRanks(String name, Path folder) {
        this(new WorldIdentity(name, WORLD.size()), folder, tcp -> tcp, Listener.MOST_THREADS);
    }

    /** @param name of a world of its own, as above */
    TcpRanks(String name, Path folder, UnaryOperator<Tcp> settings) {
        this(new WorldIdentity(name, WORLD.size()), folder, settings, Listener.MOST_THREADS);
    }

    private TcpRanks(WorldIdentity world, Path folder, UnaryOperator<Tcp> settings, int mostThreads) {
        this.world = world;
        this.mostThreads = mostThreads;
        this.settings = settings.apply(new Tcp(new SharedMemory(folder, true)).withoutSharedMemory()
                .silenceTimeout(Duration.ofSeconds(30)));
        for (int rank = 0; rank < 2; rank++) {
            attach(rank);
        }
        connect(0, 1);
        connect(1, 0);
    }

    private void attach(int rank) {
        attachments[rank] = Looped.attach(settings, world, rank, SEGMENT_BYTES, mostThreads);
    }

    WorldIdentity world() {
        return world;
    }

    Attachment attachment(int rank) {
        Attachment attachment = attachments[rank];
        if (attachment == null) {
            throw new IllegalStateException("the rank is not there: rank=" + rank);
        }
        return attachment;
    }

    void connect(int from, int to) {
        attachment(from).connect(to, attachment(to).incarnation(), attachment(to).address());
    }

    Fabric fabric(int rank) {
        return attachment(rank).fabric();
    }

    TcpFabric tcp(int rank) {
        return (TcpFabric) fabric(rank);
    }

    long unknownOutcomes(int rank) {
        return tcp(rank).keeper().unknownOutcomes();
    }

    void restart(int rank) {
        attachment(rank).close();
        attach(rank);
    }

    @Override
    public void close() {
        for (Attachment attachment : attachments) {
            if (attachment != null) {
                attachment.close();
            }
        }
    }
}
