package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.memory.WorldIdentity;
import java.util.ArrayList;
import java.util.List;

/**
 * By what ranks know each other.
 *
 * @param secrets one at least where ranks must prove that they know one: the first is the present one, the others are
 * those that it replaces. Empty where anybody is let in
 * @param encrypts whether what ranks send to each other is encrypted. The secret proves then, too, that nobody stands
 * in the middle
 */
public record Security(List<Secret> secrets, boolean encrypts) {

    /** Previous secrets, at most: a greeting has room for so many. */
    public static final int MOST_PREVIOUS = Keys.MOST - 1;

    public Security {
        secrets = Keys.refuseTooMany(secrets);
        if (encrypts && secrets.isEmpty()) {
            throw new IllegalArgumentException(
                    "without a secret nobody knows who is at the other end, give one to encrypt");
        }
    }

    /** Anybody who reaches the port may read and write the segment. */
    public static Security none() {
        return new Security(List.of(), false);
    }

    /** Ranks that know the secret are let in, and what they send is encrypted. */
    public static Security secret(Secret secret) {
        return new Security(List.of(secret), true);
    }

    /**
     * The same, but what ranks send is not encrypted: for a wire that nobody else reaches. A process that can change
     * packets takes over a connection that is open.
     */
    public Security unencrypted() {
        return new Security(secrets, false);
    }

    /**
     * Also lets in, and is let in by, ranks that know a previous secret: for the time in which the secret is changed
     * rank by rank.
     */
    public Security previous(Secret secret) {
        List<Secret> all = new ArrayList<>(secrets);
        all.add(secret);
        return new Security(all, encrypts);
    }

    Keys keys(WorldIdentity world) {
        return Keys.of(secrets, "tcp", world);
    }
}
