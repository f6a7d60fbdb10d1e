package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.link.Keys;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A rank that serves a limited number of connections by threads of their own, and the others by loops. */
class Looped extends TcpAttachment {

    private final int mostThreads;

    Looped(Tcp settings, WorldIdentity world, Attachment host, int mostThreads) {
        super(settings, world, host);
        this.mostThreads = mostThreads;
    }

    static Attachment attach(Tcp settings, WorldIdentity world, int rank, long segmentBytes, int mostThreads) {
        Attachment host = settings.segments().attach(world, OptionalInt.of(rank), segmentBytes);
        return new Looped(settings, world, host, mostThreads).open();
    }

    @Override
    Listener listen(Tcp tcp, WorldIdentity identity, int rank, int incarnation, LocalMemory segment, Keys keys,
            @Nullable Encryption encryption) throws IOException {
        return new Listener(tcp, identity, rank, incarnation, segment, keys, encryption, mostThreads);
    }
}
