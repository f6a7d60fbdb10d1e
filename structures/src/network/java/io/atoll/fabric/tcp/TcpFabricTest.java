package io.atoll.fabric.tcp;

import io.atoll.fabric.FabricContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("network")
class TcpFabricTest extends FabricContract implements RanksOverTcp {

    private TcpRanks ranks;

    @BeforeEach
    void attach(@TempDir Path folder) {
        ranks = new TcpRanks(folder, this::settings, mostThreads());
    }

    /** Returns the settings of the ranks. A subclass may change them. */
    Tcp settings(Tcp tcp) {
        return tcp;
    }

    /** Returns how many connections of a rank have threads of their own. */
    int mostThreads() {
        return Listener.MOST_THREADS;
    }

    @AfterEach
    void detach() {
        ranks.close();
    }

    /** Returns what others are told of the place where rank 1 listens. */
    final String address(String key) {
        return ranks.attachment(1).address().get(key);
    }

    @Override
    public TcpRanks ranks() {
        return ranks;
    }

    /** Verbs to other ranks do. Verbs to the own segment are loads and stores of the CPU. */
    @Override
    public boolean readsWaitForWrites() {
        return false;
    }

    @Override
    public int rounds() {
        return 300;
    }
}
