package io.atoll.fabric.rdma;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.memory.WorldIdentity;
import java.util.Arrays;
import java.util.List;

/** The keys of ranks that know secrets, or none. */
final class Secrets {

    static final Secret OLD = Secret.of("an old secret that is long enough to be one");
    static final Secret NEW = Secret.of("a new secret that is just as long as needed");

    private Secrets() {}

    static Keys none(WorldIdentity world) {
        return Keys.of(List.of(), "verbs", world);
    }

    static Keys one(WorldIdentity world) {
        return of(world, NEW);
    }

    static Keys of(WorldIdentity world, Secret... secrets) {
        return Keys.of(Arrays.asList(secrets), "verbs", world).shortened(VerbsGreeting.PROOF_BYTES);
    }
}
