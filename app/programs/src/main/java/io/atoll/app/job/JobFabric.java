package io.atoll.app.job;

import io.atoll.Fabrics;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.rdma.Rdma;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/** How the ranks of a job reach each other's memory. */
public enum JobFabric {
    SHARED_MEMORY("shared-memory"), TCP("tcp"), RDMA("rdma");

    private static final String SECRET = "secret";

    private final String option;

    JobFabric(String option) {
        this.option = option;
    }

    /**
     * Makes what ranks must know besides their place. For TCP this is a secret, so that no other user of this machine
     * can connect.
     *
     * @param folder readable by its user only
     */
    void prepare(Path folder) throws IOException {
        if (this == TCP) {
            byte[] secret = new byte[Secret.SHORTEST_BYTES];
            new SecureRandom().nextBytes(secret);
            Files.writeString(folder.resolve(SECRET), Base64.getEncoder().encodeToString(secret));
        }
    }

    /** @param folder contains the segments and what was prepared */
    FabricType in(Path folder) {
        FabricType segments = Fabrics.sharedMemory(folder, false);
        return switch (this) {
            case SHARED_MEMORY -> segments;
            // No other user can read what is sent within this machine, so it is not encrypted.
            case TCP -> new Tcp(segments).withoutSharedMemory()
                    .security(Security.secret(secret(folder)).unencrypted());
            case RDMA -> new Rdma(segments);
        };
    }

    private static Secret secret(Path folder) {
        try {
            return Secret.of(Files.readString(folder.resolve(SECRET)));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read the job's secret: folder=" + folder, failure);
        }
    }

    /** Returns the name that users choose it by. */
    @Override
    public String toString() {
        return option;
    }
}
